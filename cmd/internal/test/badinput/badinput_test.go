// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package badinput

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

var discard = slog.New(slog.DiscardHandler)

// A place is a door that is open, with what a row needs to go in.
type place struct {
	t      *testing.T
	door   door
	url    string
	server *server
	token  func(subject string, changes map[string]any) string // nil without authorization
}

// A row is one of the table: somebody misbehaves, and is answered with a status, or with
// "closed" if the connection ends without one; at each door.
type row struct {
	name   string
	want   string // at every door, unless there are others
	others []string
	limits limits
	do     func(p *place) string
}

func (r row) wants() []string {
	if r.others != nil {
		return r.others
	}
	return slices.Repeat([]string{r.want}, len(doors))
}

const quick = 300 * time.Millisecond

var rows = []row{
	{name: "headers that do not end", want: "closed", limits: limits{read: quick}, do: wired(head + "X-Slow: ")},
	{name: "a body that does not end", want: "408", limits: limits{read: quick}, do: wired(head + "Content-Length: 100\r\n\r\n{")},
	{name: "a body of 1 GB", want: "413", do: wired(head + "Content-Length: 1073741824\r\n\r\n{")},
	{name: "a body of 1 GB in chunks", want: "413", do: func(p *place) string {
		return p.send(http.MethodPost, io.LimitReader(spaces{}, 1<<30)).status
	}},
	{name: "bad chunks", want: "400", do: wired(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n")},
	{name: "another transfer encoding", want: "501", do: wired(head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")},
	{name: "two lengths", want: "400", do: wired(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}")},
	{name: "headers of 1 MB", want: "431", do: wired(head+"X-Large: ", strings.Repeat("x", 1<<20), "\r\n\r\n")},
	{name: "another content type", want: "415", do: posted(ping, "", "Content-Type", "text/plain")},
	{name: "another charset", want: "415", do: posted(ping, "", "Content-Type", "application/json; charset=utf-16")},
	{name: "a compressed body", want: "415", do: posted(ping, "", "Content-Encoding", "gzip")},
	{name: "no JSON", want: "400", do: inSession("GET / HTTP/1.1", "-32700")},
	{name: "two messages", want: "400", do: inSession(ping+ping, "-32700")},
	{name: "nesting without end", want: "400", do: inSession(`{"jsonrpc":"2.0","id":1,"method":"x","params":`+strings.Repeat("[", 100_000), "-32600")},
	{name: "a key twice", others: []string{"400", "200", "200"}, do: inSession(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TOOL","name":"write"}}`, "-32602")},
	{name: "a key twice, since 2026-07-28", want: "400", do: posted(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TOOL","name":"write","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, "-32602", modern()...)},
	{name: "a call without an id", others: []string{"400", "202", "202"}, do: inSession(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"TOOL","arguments":{"path":"a"}}}`, "")},
	{name: "a batch of a version that has none", want: "400", do: func(p *place) string {
		return p.post("["+ping+"]", append(p.begin(), mcpheader.Version, "2025-11-25")...).holds(p.t, "-32600")
	}},
	{name: "another method in the header", want: "400", do: posted(modernCall, "-32020", modern(mcpheader.Method, "tools/list")...)},
	{name: "another tool in the header", want: "400", do: posted(modernCall, "-32020", modern(mcpheader.Name, "write")...)},
	{name: "another tool in an older header", want: "400", do: inSession(goodCall, "-32020", mcpheader.Name, "write")},
	{name: "another version in the header", want: "400", do: posted(modernCall, "-32020", modern(mcpheader.Version, "2025-11-25")...)},
	{name: "another argument in the header", want: "400", do: posted(modernCall, "-32020", modern("Mcp-Param-Path", "b")...)},
	{name: "a header that is missing", want: "400", do: posted(modernCall, "-32020", modern(mcpheader.Name, "")...)},
	{name: "a header that cannot be decoded", want: "400", do: posted(modernCall, "-32020", modern(mcpheader.Name, "=?base64?cmVhZA?=")...)},
	{name: "a header twice", want: "400", do: posted(modernCall, "-32600", append(modern(), mcpheader.Name, "write")...)},
	{name: "a header like another", want: "400", do: posted(ping, "-32600", "Mcp-Session_Id", "x")},
	{name: "a foreign Origin", want: "403", do: posted(ping, "--allow-origin", "Origin", "https://evil.example")},
	{name: "the Origin null", want: "403", do: posted(ping, "--allow-origin", "Origin", "null")},
	{name: "a foreign Host", want: "403", do: posted(ping, "--allow-host", "Host", "evil.example")},
	{name: "no token", want: "401", limits: protected, do: func(p *place) string { return p.anonymous("") }},
	{name: "an expired token", want: "401", limits: protected, do: func(p *place) string {
		return p.anonymous(p.token("ann", map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}))
	}},
	{name: "a forged token", want: "401", limits: protected, do: func(p *place) string {
		ann, bob := p.token("ann", nil), p.token("bob", nil)
		return p.anonymous(ann[:strings.LastIndexByte(ann, '.')] + bob[strings.LastIndexByte(bob, '.'):])
	}},
	{name: "a token for another resource", want: "401", limits: protected, do: func(p *place) string {
		return p.anonymous(p.token("ann", map[string]any{"aud": "https://api.example.org"}))
	}},
	{name: "a session nobody began", want: "404", do: posted(goodCall, "initialize", mcphttp.SessionID, "chosen-by-an-attacker")},
	{name: "a session that has ended", want: "404", do: func(p *place) string {
		session := p.begin()
		p.send(http.MethodDelete, nil, session...)
		return p.post(goodCall, session...).status
	}},
	{name: "another principal's session", want: "404", limits: protected, do: func(p *place) string {
		session := p.begin("Authorization", "Bearer "+p.token("ann", nil))
		return p.post(goodCall, mcphttp.SessionID, session[len(session)-1], "Authorization", "Bearer "+p.token("bob", nil)).status
	}},
	{name: "too many sessions", want: "503", limits: limits{sessions: 3}, do: func(p *place) string {
		p.begin() // beside the bystander's
		p.begin()
		return p.post(initialize).holds(p.t, "too many")
	}},
	{name: "too many requests at once", want: "503", limits: limits{requests: 3}, do: tooMany},
	{name: "another method", want: "405", do: func(p *place) string { return p.send(http.MethodPut, strings.NewReader(ping)).status }},
	{name: "a client that leaves half-way", want: "closed", do: leaves},
	{name: "a client that closes its side", want: "closed", do: halfCloses},
	{name: "a client that takes nothing", want: "closed", limits: limits{write: quick}, do: deaf},
}

const (
	head       = "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	ping       = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	goodCall   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TOOL","arguments":{"path":"a"}}}`
	meta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	modernCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TOOL","arguments":{"path":"a"},` + meta + `}}`
)

// modern are the headers of modernCall, with changes.
func modern(change ...string) []string {
	h := []string{mcpheader.Version, "2026-07-28", mcpheader.Method, "tools/call", mcpheader.Name, "TOOL", "Mcp-Param-Path", "a"}
	for i := 0; i < len(change); i += 2 {
		at := slices.Index(h, change[i])
		if h[at+1] = change[i+1]; change[i+1] == "" {
			h = slices.Delete(h, at, at+2)
		}
	}
	return h
}

// An answered is the answer to a request.
type answered struct {
	status, body string
	header       http.Header
}

// holds is the status of an answer whose body must hold a text.
func (a answered) holds(t *testing.T, text string) string {
	if !strings.Contains(a.body, text) {
		t.Errorf("the answer is %s, want %s in it", a.body, text)
	}
	return a.status
}

func (p *place) post(body string, header ...string) answered {
	return p.send(http.MethodPost, strings.NewReader(strings.ReplaceAll(body, "TOOL", p.door.tool)), header...)
}

func (p *place) send(method string, body io.Reader, header ...string) answered {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	resp, err := http.DefaultClient.Do(p.request(ctx, method, body, header...))
	if err != nil {
		p.t.Error(err)
		return answered{}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Error(err)
	}
	return answered{fmt.Sprint(resp.StatusCode), string(bytes.TrimSpace(data)), resp.Header}
}

func (p *place) request(ctx context.Context, method string, body io.Reader, header ...string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, p.url, body)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", mcphttp.JSON)
	req.Header.Set("Accept", mcphttp.JSON+", "+mcphttp.Events)
	for i := 0; i < len(header); i += 2 {
		name, value := header[i], strings.ReplaceAll(header[i+1], "TOOL", p.door.tool)
		switch name {
		case "Host":
			req.Host = value
		case "Content-Type":
			req.Header.Set(name, value)
		default:
			req.Header.Add(name, value)
		}
	}
	return req
}

// begin begins a session and returns the headers of its requests; its id is the last.
func (p *place) begin(header ...string) []string {
	p.t.Helper()
	a := p.post(initialize, header...)
	id := a.header.Get(mcphttp.SessionID)
	if id == "" {
		p.t.Errorf("no session: %s %s", a.status, a.body)
	}
	header = append(slices.Clone(header), mcphttp.SessionID, id)
	p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, header...)
	return header
}

func posted(body, holds string, header ...string) func(*place) string {
	return func(p *place) string { return p.post(body, header...).holds(p.t, holds) }
}

func inSession(body, holds string, header ...string) func(*place) string {
	return func(p *place) string { return p.post(body, append(p.begin(), header...)...).holds(p.t, holds) }
}

// anonymous is the answer to who shows a token.
func (p *place) anonymous(token string) string {
	if token == "" {
		return p.post(initialize).status
	}
	return p.post(initialize, "Authorization", "Bearer "+token).status
}

// dial connects to the door; HOST in what is written is its address.
func (p *place) dial() (net.Conn, string) {
	host := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/mcp")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn, host
}

// wired writes bytes and returns the status of the answer.
func wired(parts ...string) func(*place) string {
	return func(p *place) string {
		conn, host := p.dial()
		for _, part := range parts {
			if _, err := io.WriteString(conn, strings.ReplaceAll(part, "HOST", host)); err != nil {
				break // it answers before it has read all
			}
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return "closed"
		}
		defer resp.Body.Close()
		return fmt.Sprint(resp.StatusCode)
	}
}

// spaces reads as white space, without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// write writes a call on a connection of its own.
func (p *place) write(body string, header ...string) net.Conn {
	conn, host := p.dial()
	body = strings.ReplaceAll(body, "TOOL", p.door.tool)
	var lines strings.Builder
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(&lines, "%s: %s\r\n", header[i], strings.ReplaceAll(header[i+1], "TOOL", p.door.tool))
	}
	fmt.Fprintf(conn, strings.ReplaceAll(head, "HOST", host)+"%sContent-Length: %d\r\n\r\n%s", lines.String(), len(body), body)
	return conn
}

// leaves closes the connection of a call of 2026-07-28 that is under way: the server's ends, too.
func leaves(p *place) string {
	conn := p.write(strings.ReplaceAll(modernCall, `"a"`, `"wait"`), modern("Mcp-Param-Path", "wait")...)
	p.eventually("the call", func() bool { return p.server.waiting.Load() == 1 })
	conn.Close()
	p.eventually("its end", func() bool { return p.server.waiting.Load() == 0 })
	return "closed"
}

// halfCloses closes its own side of the connection of a call that is under way, and still listens.
func halfCloses(p *place) string {
	conn := p.write(strings.ReplaceAll(modernCall, `"a"`, `"wait"`), modern("Mcp-Param-Path", "wait")...)
	p.eventually("the call", func() bool { return p.server.waiting.Load() == 1 })
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		p.t.Fatal(err)
	}
	if answer, _ := io.ReadAll(conn); len(answer) > 0 {
		return string(answer)
	}
	p.eventually("its end", func() bool { return p.server.waiting.Load() == 0 })
	return "closed"
}

// deaf takes nothing of a large answer.
func deaf(p *place) string {
	conn := p.write(strings.ReplaceAll(modernCall, `"a"`, `"huge"`), modern("Mcp-Param-Path", "huge")...)
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // so that less is on its way
	p.eventually("the end of the connection", func() bool {
		_, err := io.WriteString(conn, "x") // fails once the other side is closed
		return err != nil
	})
	return "closed"
}

// tooMany asks for more than may be asked at once, beside a bystander.
func tooMany(p *place) string {
	session := p.begin()
	var calls []net.Conn
	p.eventually("a refusal", func() bool { // one call more each time: the bystander and the ping may have had the room of those before
		call := strings.Replace(goodCall, `"id":1`, fmt.Sprintf(`"id":"w%d"`, len(calls)), 1)
		calls = append(calls, p.write(strings.ReplaceAll(call, `"a"`, `"wait"`), session...))
		return p.post(ping, session...).status == "503"
	})
	for _, c := range calls {
		c.Close()
	}
	p.eventually("room", func() bool { return p.post(ping, session...).status == "200" })
	p.send(http.MethodDelete, nil, session...)
	return "503"
}

func (p *place) eventually(what string, is func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("never: %s", what)
		}
	}
}

const resource = "https://mcp.example.org/mcp"

// An issuer makes tokens.
type issuer struct {
	url    string
	signer jose.Signer
}

func newIssuer(t *testing.T) *issuer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Use: "sig"}}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(keys) }))
	t.Cleanup(server.Close)
	i := &issuer{url: server.URL}
	i.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *issuer) policy(*testing.T) *policy.Authorization {
	return &policy.Authorization{Resource: resource, Issuers: []policy.Issuer{{Issuer: i.url, JWKS: i.url}}}
}

// token is a good token of a subject, with changes of its claims.
func (i *issuer) token(t *testing.T, subject string, changes map[string]any) string {
	claims := map[string]any{"iss": i.url, "sub": subject, "aud": resource, "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range changes {
		claims[name] = value
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := i.signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

// protected marks rows whose door asks for tokens; TestBadInput puts the issuer in.
var protected = limits{authorization: func(*testing.T) *policy.Authorization { return nil }}

// TestBadInput holds each door to each row, while another client of it is served.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for i, d := range doors {
		for _, row := range rows {
			t.Run(d.name+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				server := newServer(t)
				p := &place{t: t, door: d, server: server}
				l := row.limits
				var bystander []string
				if l.authorization != nil {
					issuer := newIssuer(t)
					l.authorization = issuer.policy
					p.token = func(subject string, changes map[string]any) string { return issuer.token(t, subject, changes) }
					bystander = []string{"Authorization", "Bearer " + p.token("eve", nil)}
				}
				p.url = d.serve(t, server.URL, l)
				bystander = p.begin(bystander...)
				other := strings.Replace(goodCall, `"id":1`, `"id":7`, 1)
				served := func() {
					if a := p.post(other, bystander...); a.status != "200" && l.requests == 0 || !strings.Contains(a.body, "done") && l.requests == 0 {
						t.Errorf("a bystander: %s %s", a.status, a.body)
					}
				}
				served()
				before := len(server.calls())
				done := make(chan struct{})
				go func() {
					defer close(done)
					for range 3 {
						served()
					}
				}()
				if got, want := row.do(p), row.wants()[i]; got != want {
					t.Errorf("the answer is %s, want %s", got, want)
				}
				<-done
				if n := len(server.calls()) - before; l.requests == 0 && !strings.HasPrefix(row.name, "a client") && n != 3 {
					t.Errorf("the server runs %d calls beside the bystander's", n-3)
				}
				served()
			})
		}
	}
}

// TestDocumented holds that the table of docs/figures/bad-input.md has these rows.
func TestDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../docs/figures/bad-input.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got [][]string
	for _, row := range rows {
		want = append(want, append([]string{row.name}, row.wants()...))
	}
	_, table, _ := strings.Cut(string(text), "## Clients")
	table, _, _ = strings.Cut(table, "## Servers")
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+|closed) \| (\d+|closed) \| (\d+|closed) \|`).FindAllStringSubmatch(table, -1) {
		got = append(got, m[1:])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table (-test +docs/figures/bad-input.md):\n%s", diff)
	}
}
