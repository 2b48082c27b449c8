// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package tcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

// fake is a network in which db.example.org has an address, and port 5432 alone is open.
var fake = probe.Network{
	Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		if host != "db.example.org" {
			return nil, &net.DNSError{Name: host, IsNotFound: true}
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	},
	Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		if !strings.HasSuffix(address, ":5432") {
			return nil, syscall.ECONNREFUSED
		}
		conn, _ := net.Pipe()
		return conn, nil
	},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, newCheck(fake), "testdata")
}

// counting is the real network, and counts connections.
func counting(n *atomic.Int32) probe.Network {
	return probe.Network{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		n.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
}

func quiet(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	return server
}

func TestConnects(t *testing.T) {
	t.Parallel()
	server := quiet(t)
	server.Start()
	address := server.Listener.Addr().String()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	_ = closed.Close()
	policy := func(address, rest string) string { return fmt.Sprintf("tcp: {address: %q%s}", address, rest) }
	for name, tt := range map[string]struct {
		demand string
		value  any
		want   string
	}{
		"there":    {policy(address, ", allow_private: true"), nil, "ok\n"},
		"private":  {policy(address, ""), nil, "error security: needs the server " + address + ", which is not at a public address; the policy does not allow that\n"},
		"nobody":   {policy(nobody, ", allow_private: true"), nil, "error: needs the server " + nobody + ", which refuses connections\n"},
		"no TLS":   {policy(address, ", allow_private: true, tls: true"), nil, "error: needs the server " + address + ", which does not speak TLS\n"},
		"argument": {"tcp: {allow_private: true}", address, "ok\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := checktest.Judge(t, newCheck(probe.Network{}), tt.demand, tt.value); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	server := quiet(t)
	server.StartTLS()
	address := server.Listener.Addr().String()
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	end := server.Certificate().NotAfter
	for name, tt := range map[string]struct {
		network probe.Network
		want    string // "" for nothing
	}{
		"valid":    {probe.Network{Roots: roots}, ""},
		"unknown":  {probe.Network{}, "error: needs the server " + address + ", which has a certificate of an untrusted authority"},
		"expiring": {probe.Network{Roots: roots, Now: func() time.Time { return end.Add(-36 * time.Hour) }}, "warning: needs the server " + address + ", whose certificate expires within 2 days"},
		"expired":  {probe.Network{Roots: roots, Now: func() time.Time { return end.Add(time.Hour) }}, "error: needs the server " + address + ", which has a certificate that is expired or not valid yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			demand := fmt.Sprintf("tcp: {address: %q, tls: true, allow_private: true, warn_expiry: 48h}", address)
			if got := checktest.Judge(t, newCheck(tt.network), demand, nil); got != cmp.Or(tt.want, "ok")+"\n" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestCache holds that calls share a connection as long as the policy says.
func TestCache(t *testing.T) {
	t.Parallel()
	server := quiet(t)
	server.Start()
	var dialed atomic.Int32
	network := counting(&dialed)
	now := time.Unix(0, 0)
	network.Now = func() time.Time { return now }
	c := newCheck(network)
	look := func(want int32) {
		t.Helper()
		// Each policy has options of its own: equal ones share.
		demand := fmt.Sprintf("tcp: {address: %q, allow_private: true, cache: 1m}", server.Listener.Addr())
		if got := checktest.Judge(t, c, demand, nil); got != "ok\n" || dialed.Load() != want {
			t.Errorf("got %q after %d connections, want %d", got, dialed.Load(), want)
		}
	}
	look(1)
	look(1)
	now = now.Add(time.Minute)
	look(2)
}

// TestHangs runs alone, because it counts goroutines.
func TestHangs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // it never accepts: the system does, and nobody shakes hands
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	before := runtime.NumGoroutine()
	c := newCheck(probe.Network{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.Targets = []check.Target{{Options: &Options{Address: l.Addr().String(), TLS: true, AllowPrivate: true}}}
	if err := run.Do(ctx); !errors.Is(err, context.DeadlineExceeded) || len(run.Findings) > 0 {
		t.Errorf("got %v and %v, want a deadline", err, run.Findings)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	if o := Demand.Options().(*Options); o.Cache != time.Minute || o.CacheFailure == 0 || o.WarnExpiry == 0 {
		t.Errorf("defaults %+v", o)
	}
}
