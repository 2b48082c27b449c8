// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func hosts(t testing.TB, list ...string) []Host {
	t.Helper()
	var all []Host
	for _, s := range list {
		h, err := ParseHost(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern   string
		yes, deny []Target
	}{
		{"api.example.com", []Target{{"api.example.com", 443}, {"API.example.com.", 80}}, []Target{{"api.example.com", 22}, {"x.api.example.com", 443}, {"example.com", 443}}},
		{"api.example.com:5432", []Target{{"api.example.com", 5432}}, []Target{{"api.example.com", 443}}},
		{"*.example.com", []Target{{"a.example.com", 443}, {"a.b.example.com", 80}}, []Target{{"example.com", 443}, {"badexample.com", 443}, {".example.com", 443}}},
		{"*", []Target{{"a.example.com", 443}, {"192.0.2.1", 80}}, []Target{{"a.example.com", 22}}},
		{"*:22", []Target{{"a.example.com", 22}}, []Target{{"a.example.com", 443}}},
		{"[2001:db8::1]:80", []Target{{"2001:db8::1", 80}}, []Target{{"2001:db8::1", 443}}},
	} {
		h := hosts(t, tt.pattern)
		for _, target := range tt.yes {
			if !covered(h, target) {
				t.Errorf("%s does not allow %s", tt.pattern, target)
			}
		}
		for _, target := range tt.deny {
			if covered(h, target) {
				t.Errorf("%s allows %s", tt.pattern, target)
			}
		}
	}
	for _, bad := range []string{"", "**", "*.", "a b", "https://a.example", "a.example:0", "a.example:x", "a/b", "a.*.b"} {
		if _, err := ParseHost(bad); err == nil {
			t.Errorf("%q is a host", bad)
		}
	}
}

func TestGood(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]bool{ // public alone, private too
		"93.184.215.14": {true, true}, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": {true, true},
		"127.0.0.1": {false, true}, "::1": {false, true}, "10.1.2.3": {false, true}, "::ffff:10.1.2.3": {false, true}, "100.64.0.1": {false, true}, "fd00::1": {false, true},
		"169.254.169.254": {}, "100.100.100.200": {}, "fd00:ec2::254": {}, "0.0.0.0": {}, "224.0.0.1": {}, "255.255.255.255": {}, "fe80::1": {}, "64:ff9b::7f00:1": {}, "2002:7f00:1::": {},
	} {
		a := netip.MustParseAddr(address)
		if got := [2]bool{good(a, false), good(a, true)}; got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

// TestJudge judges hosts together with their addresses.
func TestJudge(t *testing.T) {
	t.Parallel()
	g := &Guard{Allow: hosts(t, "*"), Private: hosts(t, "db.example:5432", "*.corp.example", "localhost:3000")}
	for _, tt := range []struct {
		target  Target
		address string
		want    bool
	}{
		{Target{"a.example", 80}, "93.184.215.14", true}, {Target{"a.example", 80}, "10.0.0.1", false}, {Target{"a.example", 22}, "93.184.215.14", false},
		{Target{"93.184.215.14", 443}, "93.184.215.14", true}, {Target{"127.0.0.1", 80}, "93.184.215.14", false}, {Target{"127.0.0.1.", 80}, "93.184.215.14", false}, {Target{"[::1]", 80}, "93.184.215.14", false},
		{Target{"db.example", 5432}, "10.0.0.1", true}, {Target{"db.example", 80}, "10.0.0.1", false}, {Target{"db.example", 5432}, "169.254.169.254", false},
		{Target{"a.corp.example", 443}, "10.0.0.1", true}, {Target{"a.corp.example", 443}, "127.0.0.1", false}, {Target{"a.corp.example", 80}, "::1", false}, {Target{"a.corp.example", 80}, "::ffff:127.0.0.1", false},
		{Target{"localhost", 3000}, "127.0.0.1", true}, {Target{"db.example", 5432}, "127.0.0.1", true}, {Target{"localhost", 80}, "127.0.0.1", false},
	} {
		if err := g.Judge(tt.target, netip.MustParseAddr(tt.address)); (err == nil) != tt.want {
			t.Errorf("%s at %s: got %v, want %v", tt.target, tt.address, err, tt.want)
		}
	}
}

// TestRebinding has a name with a good and a bad address, and one that changes.
func TestRebinding(t *testing.T) {
	t.Parallel()
	asked := 0
	g := &Guard{Allow: hosts(t, "a.example"), Lookup: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("127.0.0.1")}, nil
	}}
	if conn, err := g.Dial(t.Context(), Target{"a.example", 80}); err == nil {
		conn.Close()
		t.Error("a name with an address of this machine is connected to")
	}
	if asked != 1 {
		t.Errorf("the name was looked up %d times", asked)
	}
	if _, err := g.Dial(t.Context(), Target{"b.example", 80}); err == nil || asked != 1 {
		t.Error("a name that is not allowed is looked up")
	}
}

// local is a guard that lets a name lead to this machine.
func local(t testing.TB, patterns ...string) *Guard {
	return &Guard{Private: hosts(t, patterns...), Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}}
}

func portOf(t testing.TB, address string) uint16 {
	t.Helper()
	a, err := netip.ParseAddrPort(strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	return a.Port()
}

func page(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	w.Header().Set("X-From", r.Host)
	w.Header().Set("Set-Cookie", "session=secret")
	fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RequestURI(), raw)
}

// ask sends a request, and returns the answer in a line.
func ask(t *testing.T, c *http.Client, method, url, body string, header ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(header) == 2 {
		request.Header.Set(header[0], header[1])
		if header[0] == "Host" {
			request.Host = header[1]
		}
	}
	answer, err := c.Do(request)
	if err != nil {
		return "error"
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", answer.StatusCode, strings.TrimSpace(string(raw)))
}

func TestForwarder(t *testing.T) {
	t.Parallel()
	real := httptest.NewServer(http.HandlerFunc(page))
	defer real.Close()
	port := portOf(t, real.URL)
	allowed := Target{"api.example.com", port}
	g := local(t, "api.example.com:"+fmt.Sprint(port))
	w := newWorld(t, &Server{Guard: g, Handler: NewForwarder(g, nil, nil)})
	c := w.client(t, allowed, "h1")
	url := "http://" + allowed.String()
	if got := ask(t, c, "POST", url+"/x?y=1", "hello"); got != "200 POST /x?y=1 hello" {
		t.Errorf("got %q", got)
	}
	if got := ask(t, c, "GET", url+"/x", "", "Host", "other.example.com"); !strings.HasPrefix(got, "421 ") {
		t.Errorf("a request for another host: got %q", got)
	}
	if got := ask(t, w.client(t, Target{"other.example.com", port}, "h1"), "GET", "http://other.example.com:1/", ""); !strings.HasPrefix(got, "403 ") {
		t.Errorf("a host that is not allowed: got %q", got)
	}
	real.Close()
	if got := ask(t, c, "GET", url+"/gone", ""); !strings.HasPrefix(got, "502") {
		t.Errorf("a host that is gone: got %q", got)
	}
	told := strings.Join(w.recorded(), "\n")
	for _, part := range []string{
		"POST " + url + "/x?y=1 sni= host=" + allowed.String() + " status=200 sent=5 received=17 passed=true",
		"status=421", "GET http://other.example.com:", "/gone sni= host=" + allowed.String() + " status=502 sent=0 received=0 passed=true its host could not be reached",
	} {
		if !strings.Contains(told, part) {
			t.Errorf("%q is not in\n%s", part, told)
		}
	}
}

// TestPass lets TLS through, which nobody but its host can read.
func TestPass(t *testing.T) {
	t.Parallel()
	real := httptest.NewTLSServer(http.HandlerFunc(page))
	defer real.Close()
	port := portOf(t, real.URL)
	allowed := Target{"example.com", port}
	g := local(t, "example.com:"+fmt.Sprint(port))
	w := newWorld(t, &Server{Guard: g, Handler: NewForwarder(g, nil, nil)})
	w.roots.AddCert(real.Certificate())
	c := w.client(t, allowed, "h1")
	if got := ask(t, c, "GET", "https://"+allowed.String()+"/x", ""); got != "200 GET /x" {
		t.Errorf("got %q", got)
	}
	c.CloseIdleConnections()
	// TLS for another name is not let through to this host.
	fronted := &http.Client{Transport: &http.Transport{
		DialContext:     func(context.Context, string, string) (net.Conn, error) { return w.dial(t, allowed), nil },
		TLSClientConfig: &tls.Config{RootCAs: w.roots},
	}}
	if got := ask(t, fronted, "GET", "https://front.example.net/x", ""); !strings.HasPrefix(got, "421 ") {
		t.Errorf("another server name: got %q", got)
	}
	fronted.CloseIdleConnections()
	told := strings.Join(w.recorded(), "\n")
	if !strings.Contains(told, allowed.String()+" sni=example.com host= status=0 sent=") || !strings.Contains(told, "passed=true") || strings.Contains(told, "GET https://example.com") && !strings.Contains(told, "sni=front") {
		t.Errorf("got\n%s", told)
	}
}

// TestPassOther lets a protocol through that is neither HTTP nor TLS.
func TestPassOther(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		line, _ := bufio.NewReader(conn).ReadString('\n')
		fmt.Fprintf(conn, "+%s", line)
	}()
	target := Target{"db.example.com", portOf(t, l.Addr().String())}
	w := newWorld(t, &Server{Guard: local(t, target.String())})
	conn := w.dial(t, target)
	defer conn.Close()
	fmt.Fprint(conn, "*1\r\n")
	raw, err := io.ReadAll(conn)
	if string(raw) != "+*1\r\n" || err != nil {
		t.Errorf("got %q %v", raw, err)
	}
	want := []string{target.String() + " sni= host= status=0 sent=4 received=5 passed=true"}
	if diff := cmp.Diff(want, w.recorded()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestRecording records answers, and replays them.
func TestRecording(t *testing.T) {
	t.Parallel()
	n := 0
	real := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("X-N", fmt.Sprint(n))
		if r.URL.Path == "/binary" {
			_, _ = w.Write([]byte{0, 0xff, 1})
			return
		}
		page(w, r)
		fmt.Fprint(w, n)
	}))
	defer real.Close()
	target := Target{"example.com", portOf(t, real.URL)}
	g := local(t, target.String())
	roots := x509.NewCertPool()
	roots.AddCert(real.Certificate())
	recording := &Recording{}
	w := newWorld(t, &Server{Guard: g, Intercept: true, Handler: NewForwarder(g, recording, roots)})
	url := "https://" + target.String()
	var live []string
	talk := func(c *http.Client) (got []string) {
		for _, path := range []string{"/a?token=1", "/a?token=1", "/binary"} {
			got = append(got, ask(t, c, "GET", url+path, ""))
		}
		return append(got, ask(t, c, "POST", url+"/a?token=1", "body"))
	}
	live = talk(w.client(t, target, "h2"))
	w.Close()
	var har bytes.Buffer
	if missing, err := recording.Write(&har); missing != 0 || err != nil {
		t.Fatal(missing, err)
	}
	if strings.Contains(har.String(), "session=secret") {
		t.Error("a cookie was recorded")
	}
	replay, err := ReadReplay(&har)
	if err != nil {
		t.Fatal(err)
	}
	again := newWorld(t, &Server{Handler: replay})
	c := again.client(t, target, "h1")
	if diff := cmp.Diff(live, talk(c)); diff != "" {
		t.Errorf("live (-) and replayed (+) differ:\n%s", diff)
	}
	if got := ask(t, c, "GET", url+"/a?token=1", ""); got != live[1] {
		t.Errorf("after the last answer: got %q, want %q", got, live[1])
	}
	if got := ask(t, c, "GET", url+"/other", ""); !strings.HasPrefix(got, "403 toolvet: no answer was recorded") {
		t.Errorf("got %q", got)
	}
	if told := again.recorded(); len(told) != 6 || !strings.HasSuffix(told[5], "no answer was recorded") {
		t.Errorf("got %q", told)
	}
}

func TestReadReplay(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "{}", "[]", `{"log":{"entries":[]}}`, `{"log":{"entries":[{}]}}`, `{"log":{"entries":[{"request":{"method":"GET","url":"/x"},"response":{"status":200}}]}}`,
		`{"log":{"entries":[{"request":{"method":"GET","url":"http://a/x"},"response":{"status":101}}]}}`,
		`{"log":{"entries":[{"request":{"method":"GET","url":"http://a/x"},"response":{"status":200,"content":{"text":"!","encoding":"base64"}}}]}}`,
	} {
		if _, err := ReadReplay(strings.NewReader(bad)); err == nil {
			t.Errorf("%s can be read", bad)
		}
	}
}

// FuzzReplay holds that what can be read can be replayed.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"log":{"entries":[{"request":{"method":"GET","url":"http://a.example/"},"response":{"status":204,"headers":[{"name":"X\n","value":"\r\n"}],"content":{"text":"x"}}}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		replay, err := ReadReplay(bytes.NewReader(raw))
		if err != nil {
			return
		}
		for _, list := range replay.answers {
			for _, a := range list {
				if a.status < 200 || a.status > 599 {
					t.Errorf("status %d", a.status)
				}
			}
		}
	})
}
