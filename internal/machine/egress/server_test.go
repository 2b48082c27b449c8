// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A world is a server to which every connection leads.
type world struct {
	*Server
	roots *x509.CertPool

	mu   sync.Mutex
	told []string
}

// words is an attempt in one line.
func words(a Attempt) string {
	url := a.URL()
	if url == "" {
		url = a.Target.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s sni=%s host=%s status=%d sent=%d received=%d passed=%v %s",
		a.Method, url, a.ServerName, a.Authority, a.Status, a.Sent, a.Received, a.Passed, a.Failed))
}

// newWorld starts a server. Each connection is meant for the target that it is dialed to; see
// dial.
func newWorld(t *testing.T, s *Server) *world {
	t.Helper()
	authority, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Server: s, roots: x509.NewCertPool()}
	w.roots.AppendCertsFromPEM(authority.PEM())
	s.Authority = authority
	s.Record = func(a Attempt) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, words(a))
	}
	t.Cleanup(s.Close)
	return w
}

// dial connects to a target.
func (w *world) dial(t testing.TB, target Target) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go w.Serve(conn, target)
	return client
}

// client is one of HTTP, all of whose connections are to target.
func (w *world) client(t testing.TB, target Target, protocol string) *http.Client {
	transport := &http.Transport{
		DialContext:     func(context.Context, string, string) (net.Conn, error) { return w.dial(t, target), nil },
		TLSClientConfig: &tls.Config{RootCAs: w.roots}, Protocols: new(http.Protocols),
	}
	switch protocol {
	case "h2":
		transport.Protocols.SetHTTP2(true)
	case "h2c":
		transport.Protocols.SetUnencryptedHTTP2(true)
	default:
		transport.Protocols.SetHTTP1(true)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// recorded closes the server, and returns what it told.
func (w *world) recorded() []string {
	w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, url, body, protocol string
		target                    Target
		want                      []string
	}{
		{"http", "http://api.example.com/v1/x?y=1", "", "h1", Target{"api.example.com", 80},
			[]string{"GET http://api.example.com/v1/x?y=1 sni= host=api.example.com status=403 sent=0 received=61 passed=false"}},
		{"another port", "http://api.example.com:8080/", "hello", "h1", Target{"api.example.com", 8080},
			[]string{"POST http://api.example.com:8080/ sni= host=api.example.com:8080 status=403 sent=5 received=61 passed=false"}},
		{"an address", "http://[2001:db8::1]/", "", "h1", Target{"2001:db8::1", 80},
			[]string{"GET http://[2001:db8::1]/ sni= host=[2001:db8::1] status=403 sent=0 received=61 passed=false"}},
		{"https", "https://api.example.com/v1", "hello", "h1", Target{"api.example.com", 443},
			[]string{"POST https://api.example.com/v1 sni=api.example.com host=api.example.com status=403 sent=5 received=61 passed=false"}},
		{"https to an address", "https://192.0.2.1/", "", "h1", Target{"192.0.2.1", 443},
			[]string{"GET https://192.0.2.1/ sni= host=192.0.2.1 status=403 sent=0 received=61 passed=false"}},
		{"http/2", "https://api.example.com/v1", "hello", "h2", Target{"api.example.com", 443},
			[]string{"POST https://api.example.com/v1 sni=api.example.com host=api.example.com status=403 sent=5 received=61 passed=false"}},
		{"http/2 without TLS", "http://api.example.com/v1", "hello", "h2c", Target{"api.example.com", 80},
			[]string{"POST http://api.example.com/v1 sni= host=api.example.com status=403 sent=5 received=61 passed=false"}},
		{"another name than that of the target", "https://front.example.net/v1", "", "h1", Target{"api.example.com", 443},
			[]string{"GET https://api.example.com/v1 sni=front.example.net host=front.example.net status=403 sent=0 received=61 passed=false"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &Server{})
			method := http.MethodGet
			if tt.body != "" {
				method = http.MethodPost
			}
			request, err := http.NewRequestWithContext(t.Context(), method, tt.url, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := w.client(t, tt.target, tt.protocol).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != http.StatusForbidden || !strings.Contains(string(raw), "network is off") {
				t.Errorf("got %s %q %v", answer.Status, raw, err)
			}
			answer.Body.Close()
			if diff := cmp.Diff(tt.want, w.recorded()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestNoRequests has what is no request told, too, and not answered.
func TestNoRequests(t *testing.T) {
	t.Parallel()
	target := Target{"db.example.com", 5432}
	for _, tt := range []struct {
		name string
		talk func(t *testing.T, w *world, conn net.Conn)
		want string
	}{
		{"silence", func(*testing.T, *world, net.Conn) {}, "nothing was sent"},
		{"another protocol", func(_ *testing.T, _ *world, c net.Conn) { fmt.Fprint(c, "\x00\x00\x00\x08\x04\xd2\x16\x2f") }, "neither HTTP nor TLS was spoken"},
		{"no request after all", func(_ *testing.T, _ *world, c net.Conn) { fmt.Fprint(c, "PING\r\n\r\n") }, ""},
		{"broken TLS", func(_ *testing.T, _ *world, c net.Conn) { fmt.Fprint(c, "\x16\x03\x01\x00\x05hello") }, "TLS was not begun rightly"},
		{"no trust", func(t *testing.T, _ *world, c net.Conn) {
			if tls.Client(c, &tls.Config{ServerName: "db.example.com"}).HandshakeContext(t.Context()) == nil {
				t.Error("an authority of nobody is trusted")
			}
		}, "the program did not accept toolvet's certificate, or sent no request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &Server{})
			conn := w.dial(t, target)
			tt.talk(t, w, conn)
			if half, ok := conn.(*net.TCPConn); ok {
				_ = half.CloseWrite()
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			_, _ = io.ReadAll(conn)
			conn.Close()
			got := w.recorded()
			if len(got) != 1 || !strings.HasPrefix(got[0], "db.example.com:5432 ") || !strings.HasSuffix(got[0], strings.TrimSpace("passed=false "+tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s of %s", raw, TargetOf(r.Context()))
	})})
	answer, err := w.client(t, Target{"api.example.com", 443}, "h2").Post("https://api.example.com/", "", strings.NewReader("a canary"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if raw, err := io.ReadAll(answer.Body); string(raw) != "a canary of api.example.com:443" || err != nil {
		t.Errorf("got %q %v", raw, err)
	}
}

// TestClose ends connections that hang.
func TestClose(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	w := newWorld(t, &Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(hangs)
		<-r.Context().Done()
	})})
	conn := w.dial(t, Target{"api.example.com", 80})
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-hangs
	if got := w.recorded(); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	late := w.dial(t, Target{"api.example.com", 80})
	defer late.Close()
	if _, err := late.Read(make([]byte, 1)); err == nil {
		t.Error("a connection that came too late is answered")
	}
}

func TestAuthority(t *testing.T) {
	t.Parallel()
	a, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.issue(""); err == nil {
		t.Error("a certificate for nobody")
	}
	first, err := a.issue("a.example")
	if err != nil {
		t.Fatal(err)
	}
	if leaf, err := x509.ParseCertificate(first.Certificate[0]); err != nil || leaf.Subject.String() == leaf.Issuer.String() {
		t.Errorf("it looks as if it was signed by itself (%v)", err)
	}
	if again, err := a.issue("a.example"); err != nil || again != first {
		t.Error("it was issued twice")
	}
	for i := range maxIssued + 1 {
		if _, err = a.issue(fmt.Sprintf("%d.example", i)); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("there is no bound")
	}
}

// FuzzServe holds that whatever is sent, it is told once at least, and nothing hangs.
func FuzzServe(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
	f.Add([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	f.Add([]byte("\x16\x03\x01\x00\x05hello"))
	f.Add([]byte("CONNECT a.example:443 HTTP/1.1\r\n\r\n"))
	f.Add([]byte{})
	authority, err := NewAuthority()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		told := make(chan Attempt, 1000)
		w := &world{Server: &Server{Authority: authority, Record: func(a Attempt) {
			select {
			case told <- a:
			default:
			}
		}}}
		conn := w.dial(t, Target{"a.example", 80})
		_, _ = conn.Write(raw)
		_ = conn.(*net.TCPConn).CloseWrite()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
		w.Close()
		if len(told) == 0 {
			t.Errorf("nothing was told of %q", raw)
		}
	})
}
