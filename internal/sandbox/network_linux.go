// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// isolate prepares the sandbox's own network.
func isolate(n Network) error {
	if err := linkUp("lo"); err != nil {
		return fmt.Errorf("the loopback interface: %w", err)
	}
	if n == Loopback {
		return errors.New("TODO")
	}
	return nil
}

func linkUp(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}
