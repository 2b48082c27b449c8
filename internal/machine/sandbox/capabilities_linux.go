// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// rootCapabilities are the capabilities of the superuser inside: those for handling files of other
// users and for changing the user, in the sandbox's own user namespace.
var rootCapabilities = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL,
	unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE,
}

func capabilities(root bool) []uintptr {
	if root {
		return rootCapabilities
	}
	return nil
}

// allCapabilities returns the capabilities of the kernel.
func allCapabilities() []uintptr {
	var all []uintptr
	for c := uintptr(0); c <= 63; c++ {
		if v, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err != nil || v < 0 {
			break
		}
		all = append(all, c)
	}
	return all
}

// dropCapabilities permanently drops all capabilities of this thread except keep.
func dropCapabilities(keep []uintptr) error {
	for _, c := range allCapabilities() {
		if slices.Contains(keep, c) {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping ambient capabilities: %w", err)
	}
	return setCapabilities(keep, keep)
}

// setCapabilities sets the effective and permitted capabilities of this thread.
func setCapabilities(effective, permitted []uintptr) error {
	var data [2]unix.CapUserData
	for _, c := range effective {
		data[c/32].Effective |= 1 << (c % 32)
	}
	for _, c := range permitted {
		data[c/32].Permitted |= 1 << (c % 32)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}
