// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// isolate prepares the sandbox's own network.
func isolate(n Network) error {
	if !stands(networkWall) {
		return nil
	}
	if err := linkUp("lo"); err != nil {
		return fmt.Errorf("the loopback interface: %w", err)
	}
	if n != Observed {
		return nil
	}
	if err := routeToSelf(unix.AF_INET); err != nil {
		return fmt.Errorf("routing all addresses to the loopback interface: %w", err)
	}
	if err := routeToSelf(unix.AF_INET6); err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.EAFNOSUPPORT) && !errors.Is(err, unix.EACCES) {
		return fmt.Errorf("routing all IPv6 addresses to the loopback interface: %w", err)
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

// routeToSelf makes every address of a family our own (AnyIP), like "ip route add local default dev
// lo". See rtnetlink(7).
func routeToSelf(family byte) error {
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// struct rtmsg, then the attribute RTA_OIF.
	body := []byte{family, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_STATIC, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0, 0}
	body = binary.NativeEndian.AppendUint16(body, 8)
	body = binary.NativeEndian.AppendUint16(body, unix.RTA_OIF)
	body = binary.NativeEndian.AppendUint32(body, uint32(lo.Index))
	// struct nlmsghdr: length, type, flags, sequence, port.
	message := binary.NativeEndian.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	message = binary.NativeEndian.AppendUint16(message, unix.RTM_NEWROUTE)
	message = binary.NativeEndian.AppendUint16(message, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	message = binary.NativeEndian.AppendUint64(message, 1)
	if err := unix.Sendto(fd, append(message, body...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 512)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n < unix.NLMSG_HDRLEN+4 || binary.NativeEndian.Uint16(answer[4:]) != unix.NLMSG_ERROR {
		return errors.New("the kernel gave no answer")
	}
	if code := int32(binary.NativeEndian.Uint32(answer[unix.NLMSG_HDRLEN:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}
