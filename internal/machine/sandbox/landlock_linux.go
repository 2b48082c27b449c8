// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// scopedABI is the first version of Landlock that scopes signals and abstract sockets.
const scopedABI = 6

// landlock is a second wall beside the namespaces: this thread and its descendants can make no devices,
// send no signals to processes outside, and use no abstract sockets outside. Without Landlock in the
// kernel, it does nothing. See landlock(7).
func landlock() error {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || abi < scopedABI {
		return nil
	}
	// struct landlock_ruleset_attr: handled_access_fs, handled_access_net, scoped.
	attr := [3]uint64{unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_REFER, 0,
		unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	if err := allowBeneath(int(fd), "/", unix.LANDLOCK_ACCESS_FS_REFER); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// allowBeneath adds a rule (LANDLOCK_RULE_PATH_BENEATH).
func allowBeneath(ruleset int, path string, access uint64) error {
	dir, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	// struct landlock_path_beneath_attr is packed: allowed_access, parent_fd.
	rule := binary.NativeEndian.AppendUint64(nil, access)
	rule = binary.NativeEndian.AppendUint32(rule, uint32(dir))
	const pathBeneath = 1
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), pathBeneath, uintptr(unsafe.Pointer(&rule[0])), 0, 0, 0)
	if errno != 0 {
		return errors.New(errno.Error())
	}
	return nil
}
