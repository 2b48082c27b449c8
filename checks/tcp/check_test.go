// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package tcp

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, New(probe.Network{}), &Options{Address: "127.0.0.1:5432"}, map[string]any{})
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
	const form = "error runtime: must be a host and a port, such as db.example.org:5432"
	for name, tt := range map[string]struct {
		options *Options
		value   any
		world   check.World
		want    string // of the first line
	}{
		"there":           {&Options{Address: address, AllowPrivate: true}, nil, check.World{}, ""},
		"private":         {&Options{Address: address}, nil, check.World{}, "error security: needs the server " + address + ", which is not at a public address, which the policy does not allow"},
		"nobody":          {&Options{Address: nobody, AllowPrivate: true}, nil, check.World{}, "error runtime: needs the server " + nobody + ", which refuses connections"},
		"metadata":        {&Options{Address: "169.254.169.254:80", AllowPrivate: true}, nil, check.World{}, "error security: needs the server 169.254.169.254:80, which is not at a public address, which the policy does not allow"},
		"no TLS":          {&Options{Address: address, AllowPrivate: true, TLS: true}, nil, check.World{}, "error runtime: needs the server " + address + ", which does not speak TLS"},
		"argument":        {&Options{AllowPrivate: true}, address, check.World{}, ""},
		"argument inner":  {&Options{}, address, check.World{}, "error security: needs the server that it names, which is not at a public address, which the policy does not allow"},
		"argument form":   {&Options{}, "db.example.net", check.World{}, form},
		"argument port":   {&Options{}, "db.example.org:0", check.World{}, form},
		"argument object": {&Options{}, map[string]any{}, check.World{}, form},
		"remote":          {&Options{Address: address, AllowPrivate: true}, nil, check.World{Remote: true}, "skip: not looked: this machine is not the one that the server is on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := append(find(t, New(probe.Network{}), tt.world, tt.options, tt.value), "")[0]; got != tt.want {
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
		want    []string
	}{
		"valid":    {probe.Network{Roots: roots}, nil},
		"unknown":  {probe.Network{}, []string{"error runtime: needs the server " + address + ", which has a certificate of an authority that is not trusted"}},
		"expiring": {probe.Network{Roots: roots, Now: func() time.Time { return end.Add(-36 * time.Hour) }}, []string{"warning runtime: needs the server " + address + ", whose certificate expires within 2 days"}},
		"expired":  {probe.Network{Roots: roots, Now: func() time.Time { return end.Add(time.Hour) }}, []string{"error runtime: needs the server " + address + ", which has a certificate that has expired, or is not valid yet"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &Options{Address: address, TLS: true, AllowPrivate: true, WarnExpiry: 48 * time.Hour}
			if diff := cmp.Diff(tt.want, find(t, New(tt.network), check.World{}, o, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
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
	c := New(network)
	look := func(want int32) {
		t.Helper()
		// Each policy has options of its own: equal ones share.
		o := &Options{Address: server.Listener.Addr().String(), AllowPrivate: true, Cache: time.Minute}
		if got := find(t, c, check.World{}, o, nil); got != nil || dialed.Load() != want {
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
	c := New(probe.Network{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	pass := check.NewPass(c, &call.Call{}, nil)
	pass.Targets = []check.Target{{Options: &Options{Address: l.Addr().String(), TLS: true, AllowPrivate: true}}}
	if err := c.Run(ctx, pass); !errors.Is(err, context.DeadlineExceeded) || len(pass.Findings()) > 0 {
		t.Errorf("got %v and %v, want a deadline", err, pass.Findings())
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int{
		"": 0, "db.example.org:5432": 0, "[2001:db8::1]:443": 0,
		"db.example.org": 1, ":80": 1, "a:0": 1, "a:65536": 1, "a:+80": 1, "a:http": 1, "http://a:80": 1, strings.Repeat("a", 254) + ":80": 1,
	} {
		if got := len((&Options{Address: address}).Problems()); got != want {
			t.Errorf("%q: %d problems, want %d", address, got, want)
		}
	}
	if o := Rule.Options().(*Options); o.Cache != time.Minute || o.CacheFailure == 0 || o.WarnExpiry == 0 {
		t.Errorf("defaults %+v", o)
	}
}
