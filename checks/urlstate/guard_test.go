// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"encoding/binary"
	"io"
	"log"
	"net/netip"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url"
)

func discard() *log.Logger { return log.New(io.Discard, "", 0) }

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options url.Options
		address string
		allowed bool
	}{
		{url.Options{}, "8.8.8.8:80", true},
		{url.Options{}, "8.8.8.8:25", true}, // the URL's port is judged with the URL
		{url.Options{}, "[2606:4700::1]:443", true},
		{url.Options{}, "[64:ff9b::808:808]:443", true},
		{url.Options{}, "[64:ff9b::a00:1]:443", false},
		{url.Options{}, "127.0.0.1:80", false},
		{url.Options{}, "[::1]:80", false},
		{url.Options{}, "[::ffff:127.0.0.1]:80", false},
		{url.Options{}, "10.0.0.1:80", false},
		{url.Options{}, "169.254.169.254:80", false},
		{url.Options{}, "192.88.99.1:80", false}, // by the other table alone
		{url.Options{}, "unix.sock", false},
		{url.Options{Loopback: "refuse"}, "127.0.0.1:80", false},
		{url.Options{Loopback: "warn"}, "127.0.0.1:80", true},
		{url.Options{Loopback: "allow"}, "[::1]:80", true},
		{url.Options{Loopback: "allow"}, "0.0.0.0:80", true},
		{url.Options{Loopback: "allow"}, "10.0.0.1:80", false},
		{url.Options{Private: "warn"}, "10.0.0.1:80", true},
		{url.Options{Private: "allow"}, "[fd00::1]:80", true},
		{url.Options{Private: "allow"}, "[fd00:ec2::254]:80", false},
		{url.Options{Private: "allow"}, "127.0.0.1:80", false},
		{url.Options{Private: "allow", Loopback: "allow"}, "169.254.169.254:80", false},
		{url.Options{Private: "allow", Loopback: "allow"}, "[64:ff9b::169.254.169.254]:80", false},
	} {
		err := guard(&tt.options)("tcp4", tt.address, nil)
		if got := err == nil; got != tt.allowed {
			t.Errorf("%s with %+v: %v", tt.address, tt.options, err)
		}
	}
	if err := guard(&url.Options{})("udp4", "8.8.8.8:80", nil); err == nil {
		t.Error("a connection that is not TCP is allowed")
	}
}

// FuzzGuard holds that the guard connects to no forbidden address.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"8.8.8.8", "127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "fd00:ec2::254", "2606:4700::1"} {
		b := netip.MustParseAddr(seed).As16()
		f.Add(binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:]), byte(0))
		f.Add(binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:]), byte(15))
	}
	f.Fuzz(func(t *testing.T, high, low uint64, decisions byte) {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], high)
		binary.BigEndian.PutUint64(b[8:], low)
		addr := netip.AddrFrom16(b)
		words := []string{"", "refuse", "warn", "allow"}
		o := &url.Options{Private: words[decisions&3], Loopback: words[decisions>>2&3]}
		finding := leads.OfURLs(o).JudgeAddr("it is", addr)
		if err := guard(o)("tcp6", netip.AddrPortFrom(addr, 80).String(), nil); err == nil && finding != nil && finding.Severity == check.Error {
			t.Errorf("%s is connected to: %s", addr, finding.Message)
		}
	})
}
