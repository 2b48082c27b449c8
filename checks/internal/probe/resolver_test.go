// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// dnsServer listens on loopback. It answers every question with 192.0.2.7, or not at all.
func dnsServer(t *testing.T, answers bool) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-served })
	go func() {
		defer close(served)
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if !answers || m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m = dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true}, Questions: m.Questions}
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
					Body: &dnsmessage.AResource{A: [4]byte{192, 0, 2, 7}}}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from) // the resolver asks again if it is lost
			}
		}
	}()
	return conn.LocalAddr().String()
}

// TestAt holds that the named server is asked.
func TestAt(t *testing.T) {
	t.Parallel()
	n := Network{}.At(dnsServer(t, true))
	addrs, err := n.addresses(t.Context(), "name.example")
	if err != nil || len(addrs) != 1 || addrs[0].String() != "192.0.2.7" {
		t.Errorf("got %v, %v, want 192.0.2.7", addrs, err)
	}
	if n := (Network{}).At(""); n.Lookup != nil {
		t.Error("no server changes how names are looked up")
	}
}

// TestDialDNS holds that reading from a silent server ends with the context. Without that the
// read would never end.
func TestDialDNS(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := DialDNS(dnsServer(t, false))(ctx, "udp", "192.0.2.1:53")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want that the time is over", err)
	}
}
