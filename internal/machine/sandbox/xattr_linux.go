// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttribute bounds a list of names of extended attributes, and a value, in bytes:
// XATTR_LIST_MAX, XATTR_SIZE_MAX.
const maxAttribute = 64 << 10

// Attributes returns the extended attributes of a file that its owner can set: those of users, and
// access control lists. File systems may lack support.
func Attributes(f *os.File) map[string][]byte {
	fd := int(f.Fd())
	return attributesBy(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) },
		func(name string, b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
}

// attributesAt returns the [Attributes] at a path, without following a link.
func attributesAt(path string) map[string][]byte {
	return attributesBy(func(b []byte) (int, error) { return unix.Llistxattr(path, b) },
		func(name string, b []byte) (int, error) { return unix.Lgetxattr(path, name, b) })
}

func attributesBy(list func([]byte) (int, error), get func(string, []byte) (int, error)) map[string][]byte {
	names := make([]byte, maxAttribute)
	n, err := list(names)
	if err != nil || n == 0 {
		return nil
	}
	found := map[string][]byte{}
	value := make([]byte, maxAttribute)
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		if !strings.HasPrefix(name, "user.") && !strings.HasPrefix(name, "system.posix_acl_") {
			continue
		}
		if size, err := get(name, value); err == nil { // unless it is gone meanwhile
			found[name] = append([]byte(nil), value[:size]...)
		}
	}
	return found
}

// OverlayAttributes is the prefix of the attributes that overlays use in layers. If a server sets an
// attribute with this prefix, the layer has the prefix twice.
const OverlayAttributes = "user.overlay."

// ofOverlay reports whether an attribute of a layer belongs to the overlay.
func ofOverlay(name string) bool {
	rest, ok := strings.CutPrefix(name, OverlayAttributes)
	return ok && !strings.HasPrefix(rest, "overlay.")
}
