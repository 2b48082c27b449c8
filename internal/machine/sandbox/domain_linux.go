// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"net"
	"strconv"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// domainPort is the port of the DNS.
const domainPort = 53

// A domainSocket receives packets for the DNS port, at any address.
type domainSocket interface {
	// receive also returns the destination of a packet.
	receive(b []byte) (size int, to net.IP, from net.Addr, err error)
	// reply answers from that address. A client that gets no answer asks again.
	reply(answer []byte, as net.IP, to net.Addr)
}

type domain4 struct{ *ipv4.PacketConn }

func (s domain4) receive(b []byte) (int, net.IP, net.Addr, error) {
	size, about, from, err := s.ReadFrom(b)
	if about == nil {
		return size, nil, from, err
	}
	return size, about.Dst, from, err
}

func (s domain4) reply(answer []byte, as net.IP, to net.Addr) {
	_, _ = s.WriteTo(answer, &ipv4.ControlMessage{Src: as}, to)
}

type domain6 struct{ *ipv6.PacketConn }

func (s domain6) receive(b []byte) (int, net.IP, net.Addr, error) {
	size, about, from, err := s.ReadFrom(b)
	if about == nil {
		return size, nil, from, err
	}
	return size, about.Dst, from, err
}

func (s domain6) reply(answer []byte, as net.IP, to net.Addr) {
	_, _ = s.WriteTo(answer, &ipv6.ControlMessage{Src: as}, to)
}

// listen answers and reports every DNS question, for any destination.
func (n *names) listen(tell func(*Event)) error {
	conn, err := listenDomain("udp4")
	if err != nil {
		return err
	}
	four := domain4{ipv4.NewPacketConn(conn)}
	if err := four.SetControlMessage(ipv4.FlagDst, true); err != nil {
		conn.Close()
		return err
	}
	go n.serve(four, tell)
	if conn, err = listenDomain("udp6"); err != nil {
		return nil // there is no IPv6
	}
	six := domain6{ipv6.NewPacketConn(conn)}
	if err := six.SetControlMessage(ipv6.FlagDst, true); err != nil {
		conn.Close()
		return err
	}
	go n.serve(six, tell)
	return nil
}

func listenDomain(network string) (net.PacketConn, error) {
	return (&net.ListenConfig{Control: anyAddress}).ListenPacket(context.Background(), network, ":"+strconv.Itoa(domainPort))
}

func (n *names) serve(s domainSocket, tell func(*Event)) {
	buffer := make([]byte, 64<<10)
	for {
		size, to, from, err := s.receive(buffer)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil || to == nil:
			continue
		}
		answer, name := n.answer(buffer[:size])
		if name == "" { // not a question
			tell(&Event{Connect: net.JoinHostPort(to.String(), strconv.Itoa(domainPort))})
			continue
		}
		tell(&Event{Name: name})
		if answer != nil {
			s.reply(answer, to, from)
		}
	}
}
