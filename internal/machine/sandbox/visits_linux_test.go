// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAffordable holds that connections of a server leave this process most of its open files.
func TestAffordable(t *testing.T) {
	for _, tt := range []struct {
		most  int
		limit uint64
		want  int
	}{{maxLive, 1 << 20, maxLive}, {maxLive, 1024, 34}, {maxLive, 20_000, 666}, {maxAccepted, 1 << 20, maxAccepted}, {maxLive, 0, 1}, {maxLive, 1<<64 - 1, maxLive}} {
		if got := affordable(tt.most, tt.limit); got != tt.want {
			t.Errorf("%d of %d open files: got %d, want %d", tt.most, tt.limit, got, tt.want)
		}
	}
}

// talk connects to each address, says hello, and prints what it is told.
func talk(addresses []string) error {
	for _, a := range addresses {
		conn, err := net.DialTimeout("tcp", a, time.Minute)
		if err != nil {
			fmt.Printf("%s: refused\n", a)
			continue
		}
		fmt.Fprint(conn, "hello")
		_ = conn.(*net.TCPConn).CloseWrite()
		raw, _ := io.ReadAll(conn)
		fmt.Printf("%s: %s\n", a, raw)
		conn.Close()
	}
	return nil
}

func TestVisits(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var got []string
	accept := func(conn net.Conn, to Target) {
		raw, err := io.ReadAll(conn)
		fmt.Fprintf(conn, "hello from %s", to.Host())
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%s:%d %s %v", to.Host(), to.Address.Port(), raw, err))
	}
	if _, err := os.Stat("/proc/net/if_inet6"); err != nil {
		t.Skip("there is no IPv6")
	}
	addresses := []string{"api.example.com:443", "api.example.com:8080", "192.0.2.9:80", "[2001:db8::1]:65535", "127.0.0.1:7777", "127.0.0.1:80", "mail.example.com:25"}
	r := run(t, Config{Dir: dir, Network: Observed, Accept: accept, Local: []uint16{7777}, Args: append([]string{self(t), "as-attacker", "talk"}, addresses...)})
	want := []string{
		"api.example.com:443: hello from api.example.com", "api.example.com:8080: hello from api.example.com", "192.0.2.9:80: hello from 192.0.2.9",
		"[2001:db8::1]:65535: hello from 2001:db8::1", "127.0.0.1:7777: hello from 127.0.0.1", "127.0.0.1:80: refused", "mail.example.com:25: refused", "done",
	}
	if out := strings.Split(strings.TrimSpace(r.out), "\n"); !slices.Equal(out, want) {
		t.Errorf("inside: got %q, want %q", out, want)
	}
	r.Close()
	mu.Lock()
	defer mu.Unlock()
	told := []string{
		"api.example.com:443 hello <nil>", "api.example.com:8080 hello <nil>", "192.0.2.9:80 hello <nil>",
		"2001:db8::1:65535 hello <nil>", "127.0.0.1:7777 hello <nil>",
	}
	slices.Sort(got)
	slices.Sort(told)
	if !slices.Equal(got, told) {
		t.Errorf("outside: got %q, want %q", got, told)
	}
}

// TestVisitsEnd closes the sandbox while connections are being answered.
func TestVisitsEnd(t *testing.T) {
	began := make(chan struct{})
	var once sync.Once
	accept := func(conn net.Conn, _ Target) {
		once.Do(func() { close(began) })
		_, _ = io.ReadAll(conn) // to the end, which only the sandbox's own brings
	}
	s := start(t, Config{Dir: "/", Network: Observed, Accept: accept, Args: []string{"/bin/sh", "-c", self(t) + " as-attacker hold 192.0.2.1:80"}})
	<-began
	s.Close()
}

func TestTrust(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/mine.pem", "MINE", 0o644)
	c := Config{Dir: dir, Trust: []byte("OURS"), Env: []string{"PATH=" + os.Getenv("PATH"), "NODE_EXTRA_CA_CERTS=" + dir + "/mine.pem", "SSL_CERT_FILE=" + dir + "/mine.pem"}}
	c.Args = []string{"/bin/sh", "-ec", "cat $NODE_EXTRA_CA_CERTS; echo; cat $SSL_CERT_FILE; echo; env | grep -c ^SSL_CERT_FILE; echo $GIT_SSL_CAINFO; echo x >>$SSL_CERT_FILE || echo cannot be written"}
	r := run(t, c)
	if want := "OURS\nMINE\nOURS\nMINE\nMINE\n1\n/dev/toolvet-all.pem\ncannot be written\n"; r.out != want {
		t.Errorf("got %q, want %q", r.out, want)
	}
}
