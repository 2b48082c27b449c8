// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/checks/url"
)

// internet is a world of public addresses that servers on loopback stand for.
type internet map[string]string // "93.184.215.14:80" → "127.0.0.1:41234"

// dial connects to the server behind an address, after control has seen the address. An address
// that nothing stands for refuses the connection.
func (w internet) dial(ctx context.Context, network, address string, control control) (net.Conn, error) {
	if err := control("tcp4", address, nil); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	server, ok := w[address]
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: net.ErrClosed}
	}
	return new(net.Dialer).DialContext(ctx, network, server)
}

const (
	siteAddr  = "93.184.215.14"
	otherAddr = "151.101.1.69"
)

var names = hosts{"site.example": {siteAddr}, "other.example": {"8.8.4.4", otherAddr}, "inside.example": {"10.0.0.1"}}

// site is the server of the tests.
func site(seen chan<- *http.Request) http.Handler {
	to := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(http.StatusFound)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		select {
		case seen <- r:
		default:
		}
	})
	for _, code := range []int{401, 403, 404, 405, 410, 500, 501, 503, 304} {
		mux.HandleFunc(fmt.Sprintf("/status/%d", code), status(code))
	}
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", maxHeader)) })
	mux.HandleFunc("/close", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/loop", to("/loop"))
	for i := range 5 {
		mux.HandleFunc(fmt.Sprintf("/hop/%d", i), to(fmt.Sprintf("%d", i+1)))
	}
	mux.HandleFunc("/hop/5", status(http.StatusOK))
	for path, location := range map[string]string{
		"/to/other":      "http://other.example/",
		"/to/gone":       "/status/404",
		"/to/metadata":   "http://169.254.169.254/latest/",
		"/to/decimal":    "http://2852039166/",
		"/to/inside":     "http://inside.example/",
		"/to/file":       "file:///etc/passwd",
		"/to/slashes":    "//10.0.0.1/",
		"/to/backslash":  `/\10.0.0.1/`,
		"/to/tab":        "/\t/10.0.0.1/",
		"/to/userinfo":   "http://u:p@site.example/",
		"/to/unknown":    "http://unknown.example/",
		"/to/unreadable": "http://site.example:x/",
		"/to/https":      "https://site.example/",
	} {
		mux.HandleFunc(path, to(location))
	}
	return mux
}

// quiet is a server that does not write to the test's log.
func quiet(t *testing.T, h http.Handler, start func(*httptest.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = discard()
	start(s)
	t.Cleanup(s.Close)
	return s
}

func TestReach(t *testing.T) {
	t.Parallel()
	plain := quiet(t, site(nil), (*httptest.Server).Start)
	secure := quiet(t, site(nil), (*httptest.Server).StartTLS)
	world := internet{
		siteAddr + ":80": plain.Listener.Addr().String(), otherAddr + ":80": plain.Listener.Addr().String(), siteAddr + ":8443": plain.Listener.Addr().String(),
		siteAddr + ":443": secure.Listener.Addr().String(), siteAddr + ":81": secure.Listener.Addr().String(),
	}
	c := newCheck(names, world.dial)
	const (
		redirected = "/url: the server redirects, and where it leads, "
		public     = ": only public hosts are allowed\n→ name a public host\n"
		unsound    = "error /url: the server at the URL's host and port does not speak the URL's scheme, or not properly\n"
		nothing    = "error /url: no server answers at the URL's host and port\n→ check host and port, and that the server runs\n"
	)
	for value, want := range map[string]string{
		"http://site.example/":              "",
		"http://site.example/?q#fragment":   "",
		"http://" + siteAddr + "/":          "",
		"http://other.example/":             "", // its first address does not answer
		"http://site.example/status/401":    "",
		"http://site.example/status/403":    "",
		"http://site.example/status/405":    "",
		"http://site.example/status/501":    "",
		"http://site.example/status/304":    "",
		"http://site.example/status/404":    "error /url: the server has nothing at this URL (status 404)\n→ check the URL's path\n",
		"http://site.example/status/410":    "error /url: the server has nothing at this URL (status 410)\n→ check the URL's path\n",
		"http://site.example/status/500":    "warning /url: the server fails at this URL (status 500)\n",
		"http://site.example/status/503":    "warning /url: the server fails at this URL (status 503)\n",
		"http://site.example/big":           unsound,
		"http://site.example/close":         unsound,
		"http://site.example/100%":          "warning /url: the URL could not be asked for: percent-encode each % in it as %25\n",
		"http://site.example:81/":           "", // a TLS server answers plain HTTP with 400: somebody is there
		"https://site.example:8443/":        unsound,
		"https://site.example/":             "error /url: this machine does not trust the server's certificate for the host\n",
		"http://site.example:82/":           nothing,
		"http://unknown.example/":           "error /url: the host does not exist: the resolver knows no address for it\n→ check how the host is spelt\n",
		"http://inside.example/":            "error /url: the host resolves to a private address" + public,
		"http://site.example/hop/0":         "",
		"http://site.example/loop":          "error /url: the server redirects more than five times: give its final URL\n",
		"http://site.example/to/other":      "",
		"http://site.example/to/gone":       "error " + redirected + "the server has nothing at this URL (status 404)\n→ check the URL's path\n",
		"http://site.example/to/metadata":   "error " + redirected + "the host is the address of cloud metadata" + public,
		"http://site.example/to/decimal":    "error " + redirected + "the host is the address of cloud metadata written as a decimal number" + public,
		"http://site.example/to/inside":     "error " + redirected + "the host resolves to a private address" + public,
		"http://site.example/to/file":       "error " + redirected + "the scheme is not allowed: must be http or https\n",
		"http://site.example/to/slashes":    "error " + redirected + "the host is a private address" + public,
		"http://site.example/to/backslash":  "error " + redirected + "the host is a private address" + public + "error " + redirected + "parsers disagree about where this leads: the host differs\n",
		"http://site.example/to/tab":        "error " + redirected + "holds a control character or a line break, which parsers read in different ways: leave it out\n",
		"http://site.example/to/userinfo":   "error " + redirected + "a user name or password before the host is not allowed: begin with the host\n",
		"http://site.example/to/unknown":    "error " + redirected + "the host does not exist: the resolver knows no address for it\n→ check how the host is spelt\n",
		"http://site.example/to/unreadable": "error " + redirected + "is not a URL: the port must be a number up to 65535\n",
		"http://site.example/to/https":      "error " + redirected + "this machine does not trust the server's certificate for the host\n",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, run(t.Context(), t, c, &url.Options{Reachable: true}, value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCertificate holds that a certificate must fit the judged host.
func TestCertificate(t *testing.T) {
	t.Parallel()
	secure := quiet(t, site(nil), (*httptest.Server).StartTLS)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate()) // of example.com, and of no host of the tests
	n := &network{
		resolver: hosts{"example.com": {siteAddr}, "site.example": {siteAddr}},
		dial:     internet{siteAddr + ":443": secure.Listener.Addr().String()}.dial,
		slots:    make(chan struct{}, 1),
		tls:      &tls.Config{RootCAs: roots},
	}
	o := &url.Options{Reachable: true}
	if got := n.visit(t.Context(), o, "https://example.com/"); len(got) > 0 {
		t.Errorf("a trusted certificate: %v", got)
	}
	if got := n.visit(t.Context(), o, "https://site.example/"); len(got) != 1 || !strings.Contains(got[0].Message, "certificate") {
		t.Errorf("the certificate of another host: %v", got)
	}
}

// TestRequest holds that a server sees a bare HEAD, in any environment and after any earlier
// answer.
func TestRequest(t *testing.T) {
	proxied := quiet(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a proxy is asked for %s", r.URL) }), (*httptest.Server).Start)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxied.URL)
	}
	seen := make(chan *http.Request, 2)
	plain := quiet(t, site(seen), (*httptest.Server).Start)
	c := newCheck(names, internet{siteAddr + ":8080": plain.Listener.Addr().String()}.dial)
	o := &url.Options{Reachable: true, Userinfo: true}
	for range 2 { // the first answer sets a cookie
		if got := run(t.Context(), t, c, o, "http://user:pass@SITE.example.:8080/?q=1#f"); got != "" {
			t.Fatal(got)
		}
		r := <-seen
		if r.Method != http.MethodHead || r.Host != "site.example:8080" || r.URL.String() != "/?q=1" {
			t.Errorf("got %s %s of %s", r.Method, r.URL, r.Host)
		}
		want := http.Header{"User-Agent": {"toolvet"}, "Connection": {"close"}}
		if diff := cmp.Diff(want, r.Header); diff != "" {
			t.Errorf("header (-want +got):\n%s", diff)
		}
	}
}

// TestConnectionIsJudged holds that the address of the connection counts, not only the resolver's
// earlier answer.
func TestConnectionIsJudged(t *testing.T) {
	t.Parallel()
	plain := quiet(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server is asked") }), (*httptest.Server).Start)
	rebound := func(ctx context.Context, network, _ string, control control) (net.Conn, error) {
		return dial(ctx, network, plain.Listener.Addr().String(), control)
	}
	got := run(t.Context(), t, newCheck(names, rebound), &url.Options{Reachable: true}, "http://site.example/")
	want := "error /url: the connection leads to the loopback address: only public hosts are allowed\n→ name a public host\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLoopbackAllowed goes the whole way to a server on loopback, with the dialer that
// Check has.
func TestLoopbackAllowed(t *testing.T) {
	t.Parallel()
	plain := quiet(t, site(nil), (*httptest.Server).Start)
	c := newCheck(hosts{"localhost": {"127.0.0.1"}}, dial)
	o := &url.Options{Reachable: true, Loopback: "allow"}
	_, port, _ := net.SplitHostPort(plain.Listener.Addr().String())
	for _, value := range []string{plain.URL, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port} {
		if got := run(t.Context(), t, c, o, value); got != "" {
			t.Errorf("%s: %s", value, got)
		}
	}
}

// TestSilentServer holds that a server that accepts and says nothing, and an address that does
// not even accept, end with the context, and that the next address gets its share.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	plain := quiet(t, site(nil), (*httptest.Server).Start)
	dial := func(ctx context.Context, network, address string, control control) (net.Conn, error) {
		if strings.HasPrefix(address, "8.8.4.4:") {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return internet{siteAddr + ":80": listener.Addr().String(), otherAddr + ":80": plain.Listener.Addr().String()}.dial(ctx, network, address, control)
	}
	const late = "error /url: the URL did not answer in time, so nothing is known about it\n"
	for value, want := range map[string]string{
		"http://site.example/":  late,
		"http://8.8.4.4/":       late,
		"http://other.example/": "",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if diff := cmp.Diff(want, run(ctx, t, newCheck(names, dial), &url.Options{Reachable: true}, value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	from := &neturl.URL{Scheme: "https", Host: "a.example", Path: "/b/c"}
	for location, want := range map[string]string{
		"http://x.example/":   "http://x.example/",
		"d?e":                 "https://a.example/b/d?e",
		"../d":                "https://a.example/d",
		"//x.example/":        "https://x.example/",
		`\/x.example/`:        `https:\/x.example/`,
		" //x.example/":       "https: //x.example/",
		"https:x.example":     "https:x.example",
		"javascript:alert(1)": "javascript:alert(1)",
		"http://[::1":         "http://[::1",
	} {
		if got := follow(from, location); got != want {
			t.Errorf("%q: got %q, want %q", location, got, want)
		}
	}
}

// TestNothingIsLeftOver holds that no goroutine of a run outlives it: the bubble ends when
// the last one does.
func TestNothingIsLeftOver(t *testing.T) {
	t.Parallel()
	plain := quiet(t, site(nil), (*httptest.Server).Start)
	secure := quiet(t, site(nil), (*httptest.Server).StartTLS)
	world := internet{siteAddr + ":80": plain.Listener.Addr().String(), siteAddr + ":443": secure.Listener.Addr().String()}
	synctest.Test(t, func(t *testing.T) {
		c := newCheck(names, world.dial)
		for _, value := range []string{"http://site.example/", "http://site.example/loop", "http://site.example/big", "https://site.example/", "http://other.example/"} {
			run(t.Context(), t, c, &url.Options{Reachable: true}, value)
		}
	})
}
