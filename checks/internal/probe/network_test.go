// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestAllowed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ public, private bool }{
		"93.184.215.14":          {true, true},
		"2606:4700::1111":        {true, true},
		"127.0.0.1":              {false, true},
		"::1":                    {false, true},
		"::ffff:127.0.0.1":       {false, true},
		"10.1.2.3":               {false, true},
		"172.31.0.1":             {false, true},
		"192.168.0.1":            {false, true},
		"100.64.0.1":             {false, true},
		"fd12::1":                {false, true},
		"169.254.169.254":        {false, false},
		"::ffff:169.254.169.254": {false, false},
		"169.254.1.1":            {false, false},
		"fe80::1":                {false, false},
		"fe80::1%eth0":           {false, false},
		"100.100.100.200":        {false, false},
		"fd00:ec2::254":          {false, false},
		"168.63.129.16":          {false, false},
		"0.0.0.0":                {false, false},
		"::":                     {false, false},
		"224.0.0.1":              {false, false},
		"255.255.255.255":        {false, false},
		"64:ff9b::a9fe:a9fe":     {false, false},
		"2002:a9fe:a9fe::":       {false, false},
		"192.0.2.1":              {false, false},
	} {
		a := netip.MustParseAddr(text)
		if got := allowed(a, false); got != want.public {
			t.Errorf("%s: public %v, want %v", text, got, want.public)
		}
		if got := allowed(a, true); got != want.private {
			t.Errorf("%s: private %v, want %v", text, got, want.private)
		}
	}
}

func TestThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "a.localhost": true, "127.0.0.2": true, "::1": true, "0.0.0.0": true, "::ffff:127.0.0.1": true,
		"example.org": false, "10.0.0.1": false, "localhost.example.org": false,
	} {
		if got := ThisMachine(host); got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
}

// names is a network whose names lead where a test says.
func names(table map[string][]string) Network {
	return Network{Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		var list []netip.Addr
		for _, text := range table[host] {
			list = append(list, netip.MustParseAddr(text))
		}
		return list, ctx.Err()
	}}
}

// serve accepts connections on the loopback address until the test ends, and counts them.
func serve(t *testing.T, answer func(conn net.Conn)) (port int, accepted *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted = &atomic.Int32{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			answer(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().(*net.TCPAddr).Port, accepted
}

// hang holds a connection until the other side leaves.
func hang(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestConnect(t *testing.T) {
	t.Parallel()
	port, accepted := serve(t, hang)
	n := names(map[string][]string{"inner": {"127.0.0.1"}, "mixed": {"93.184.215.14", "127.0.0.1"}, "metadata": {"169.254.169.254"}})
	for _, tt := range []struct {
		host    string
		private bool
		want    error
	}{
		{"127.0.0.1", true, nil},
		{"inner", true, nil},
		{"inner", false, ErrForbidden},
		{"mixed", false, ErrForbidden},
		{"metadata", true, ErrForbidden},
		{"::ffff:127.0.0.1", false, ErrForbidden},
	} {
		before := accepted.Load()
		conn, err := n.Connect(t.Context(), tt.host, port, tt.private)
		if !errors.Is(err, tt.want) || (conn == nil) != (tt.want != nil) {
			t.Errorf("%s: got %v, want %v", tt.host, err, tt.want)
		}
		if conn != nil {
			_ = conn.Close()
		} else if accepted.Load() != before {
			t.Errorf("%s: refused, and connected to", tt.host)
		}
	}
	if _, err := n.Connect(t.Context(), "nowhere", port, true); Why(err) != "has a name that does not exist" {
		t.Errorf("got %v", err)
	}
}

// TestRace holds that a silent address does not delay another, and that superfluous connections
// are closed.
func TestRace(t *testing.T) {
	t.Parallel()
	port, _ := serve(t, hang)
	n := names(map[string][]string{"two": {"10.0.0.1", "127.0.0.1"}})
	n.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "10.") {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	conn, err := n.Connect(t.Context(), "two", port, true)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

// settle fails if more goroutines run than before, once those that end have ended.
func settle(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

// TestHostileServers runs alone, because it counts goroutines.
func TestHostileServers(t *testing.T) {
	slow := func(conn net.Conn) {
		for {
			if _, err := conn.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	reply := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, text)
		}
	}
	for name, tt := range map[string]struct {
		answer func(net.Conn)
		status int
		want   string // why; "" is that the context ended or the status came
	}{
		"hangs":        {hang, 0, ""},
		"slow":         {func(conn net.Conn) { reply("HTTP/1.1 200 OK\r\nX: ")(conn); slow(conn) }, 0, ""},
		"closes":       {reply(""), 0, "closes the connection"},
		"not HTTP":     {reply("220 smtp ready\r\n\r\n"), 0, "does not answer as it should"},
		"large header": {reply("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n"), 0, "does not answer as it should"},
		"endless body": {func(conn net.Conn) { reply("HTTP/1.1 200 OK\r\n\r\n")(conn); slow(conn) }, 200, ""},
		"metadata":     {reply("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n"), 0, "is not at a public address; the policy does not allow that"},
		"loop":         {reply("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), 0, "redirects to where the policy does not allow"},
		"other scheme": {reply("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"), 0, "redirects to where the policy does not allow"},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			func() {
				port, _ := serve(t, tt.answer)
				before++ // the listener's
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				r := Request{Method: "GET", URL: "http://127.0.0.1:" + strconv.Itoa(port), Private: true, Redirects: 3}
				status, err := Network{}.Status(ctx, r)
				if status != tt.status {
					t.Errorf("status %d, want %d", status, tt.status)
				}
				switch {
				case tt.want != "" && (err == nil || Ended(ctx, err) != nil || Why(err) != tt.want):
					t.Errorf("got %v, want that it %s", err, tt.want)
				case tt.want == "" && tt.status == 0 && !errors.Is(Ended(ctx, err), context.DeadlineExceeded):
					t.Errorf("got %v, want a deadline", err)
				}
			}()
			settle(t, before)
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Clone() }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/other":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/same":
			http.Redirect(w, r, "/end", http.StatusFound)
		}
	}))
	defer first.Close()
	for _, tt := range []struct {
		path      string
		redirects int
		same      bool
		status    int
		want      string
	}{
		{"/other?secret", 0, false, 302, ""},
		{"/other?secret", 1, false, 200, ""},
		{"/other?secret", 1, true, 0, "redirects to where the policy does not allow"},
		{"/same", 1, true, 200, ""},
	} {
		r := Request{Method: "GET", URL: first.URL + tt.path, Private: true, Redirects: tt.redirects, SameOrigin: tt.same}
		status, err := Network{}.Status(t.Context(), r)
		if status != tt.status || (err != nil) != (tt.want != "") || err != nil && Why(err) != tt.want {
			t.Errorf("%s: status %d and %v, want %d and %q", tt.path, status, err, tt.status, tt.want)
		}
	}
	if got == nil || got.Get("Referer") != "" {
		t.Errorf("the other server got %v", got)
	}
}

func TestTLSIsChecked(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	r := Request{Method: "HEAD", URL: server.URL, Private: true}
	if _, err := (Network{}).Status(t.Context(), r); Why(err) != "has a certificate of an untrusted authority" {
		t.Errorf("got %v", err)
	}
	trusting := Network{Roots: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	if status, err := trusting.Status(t.Context(), r); err != nil || status != 404 {
		t.Errorf("status %d and %v, want 404", status, err)
	}
	trusting.Now = func() time.Time { return time.Now().AddDate(100, 0, 0) }
	if _, err := trusting.Status(t.Context(), r); Why(err) != "has a certificate that is expired or not valid yet" {
		t.Errorf("got %v", err)
	}
	r.URL = strings.Replace(server.URL, "127.0.0.1", "wrong.invalid", 1)
	trusting = Network{Roots: trusting.Roots, Lookup: names(map[string][]string{"wrong.invalid": {"127.0.0.1"}}).Lookup}
	if _, err := trusting.Status(t.Context(), r); Why(err) != "has a certificate for another name" {
		t.Errorf("got %v", err)
	}
	r.URL = strings.Replace(server.URL, "https", "http", 1)
	if status, err := trusting.Status(t.Context(), r); err != nil || status != 400 {
		t.Errorf("status %d and %v, want 400", status, err)
	}
}

func TestURLFault(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"https://example.org/a?b": true, "http://127.0.0.1:80": true,
		"": false, "example.org": false, "ftp://example.org": false, "https://u:p@example.org": false, "https://": false, "https://a/#b": false, "https://a b/": false,
	} {
		if why := URLFault(text); (why == "") != fine {
			t.Errorf("%q: %q", text, why)
		}
	}
	if origin, host := Origin("https://example.org:8443/secret?key=1"); origin != "https://example.org:8443" || host != "example.org" {
		t.Errorf("got %s and %s", origin, host)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"X-Api-Key": true, "authorization": true, "": false, "Host": false, "content-length": false, "a b": false, "a:b": false, "a\n": false} {
		if got := HeaderName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	for value, want := range map[string]bool{"abc": true, "": false, "a\r\nb": false, "a\x00": false} {
		if got := HeaderValue(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
