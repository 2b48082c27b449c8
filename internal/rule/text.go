// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"net/url"
	"path"
	"strings"
	"unicode"
)

var (
	errRoot  = errors.New("the second argument of within must be an absolute directory without . and .., empty steps or a slash at its end")
	errHost  = errors.New("the argument of host is not an absolute URL with a plain host")
	errSplit = errors.New("the arguments of split make too many parts, or the separator is empty")
)

// within reports whether a path leads to root or below it, judged by its text alone. A relative
// path starts in root. A path that some servers read otherwise must lead there in every reading:
// with a backslash as a separator and as a part of a name. Text that a shell expands and control
// characters lead nowhere.
//
// A root that is not clean is an error: it may be made of a session's own words, such as
// "/srv/" + session.subject.
func within(file, root string) (bool, error) {
	root, windows := slashes(root)
	if !clean(root, windows) {
		return false, errRoot
	}
	if strings.HasPrefix(file, "~") || strings.ContainsFunc(file, unicode.IsControl) {
		return false, nil
	}
	slashed, _ := slashes(file)
	return below(slashed, root) && (windows || below(file, root)), nil
}

// slashes writes a path with / as its separator, and reports whether it begins with a
// Windows drive.
func slashes(p string) (slashed string, drive bool) {
	slashed = strings.ReplaceAll(p, `\`, "/")
	drive = len(slashed) > 1 && slashed[1] == ':' && unicode.IsLetter(rune(slashed[0]))
	return slashed, drive
}

func clean(root string, windows bool) bool {
	if windows {
		root = root[2:]
	}
	return strings.HasPrefix(root, "/") && path.Clean(root) == root && !strings.ContainsFunc(root, unicode.IsControl)
}

// below reports whether a path with slashes is root or leads below it.
func below(file, root string) bool {
	if !strings.HasPrefix(file, "/") && !(len(file) > 1 && file[1] == ':') {
		file = root + "/" + file
	}
	file = path.Clean(file)
	return file == root || strings.HasPrefix(file, strings.TrimSuffix(root, "/")+"/")
}

// host returns the host of an absolute URL, in lower case and without a port or a final
// dot. A URL that readers could take for one of another host is an error.
func host(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.User != nil || strings.ContainsRune(address, '\\') {
		return "", errHost
	}
	name := strings.TrimSuffix(lowerASCII(u.Hostname()), ".")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:", r))
	}) {
		return "", errHost
	}
	return name, nil
}

// lowerASCII turns A to Z into small letters, and nothing else: case rules of other scripts
// can make two names one.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// maxParts bounds the parts of a text.
const maxParts = 10_000

func split(s, separator string) ([]string, error) {
	if separator == "" || strings.Count(s, separator) >= maxParts {
		return nil, errSplit
	}
	return strings.Split(s, separator), nil
}
