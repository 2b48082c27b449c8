// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parity_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/proxy/httpdoor"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/upstream"
)

// patience bounds what should take no time.
const patience = 20 * time.Second

// A setting is what a door stands between and what it goes by.
type setting struct {
	gate     *toolvet.Gate
	observer toolvet.Observer
	server   *fake
	rehearse func(context.Context, []*call.Call, func(context.Context, *call.Call) bool) (json.RawMessage, error)
}

var ann = call.Session{Subject: "ann", ID: "session"}

// A door opens a session for one play.
type door struct {
	name   string
	prefix string // of the names of tools
	open   func(t *testing.T, s setting) session
	jobs   bool              // it has jobs, which are judged ahead of their calls
	lacks  map[string]string // fields of records that cannot be the same, and why
}

// A session takes messages and gives back the answers to those that have an id, in the order
// of the ids.
type session interface {
	send(t *testing.T, message string)
	receive(t *testing.T, id int) string // the answer to a request
	close(t *testing.T)
}

var doors = []door{
	{name: "stdio", open: openStdio},
	{name: "http", open: openHTTP},
	{name: "front", open: openFront},
	{name: "gateway", prefix: "s__", open: openGateway},
	{name: "upstream", open: openUpstream},
	{name: "schedule", open: openSchedule, jobs: true, lacks: map[string]string{"request": "a run is no request"}},
	{name: "mcpgate", open: openSDK, lacks: map[string]string{
		"request":          "the SDK does not hand it on",
		"schema_digest":    "the SDK spells the definition anew",
		"result_bytes":     "the SDK spells the result anew",
		"arguments_digest": "the log has a key of its own",
	}},
}

// A wire is a session of lines.
type wire struct {
	in      io.WriteCloser
	answers chan string
	kept    map[string]string
	stop    func()
	done    chan struct{}
}

// lines runs a session of lines, and shakes hands.
func lines(t *testing.T, serve func(ctx context.Context, in io.Reader, out io.Writer) error) session {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	w := &wire{in: stdin, answers: make(chan string, 100), kept: map[string]string{}, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		defer out.Close()
		if err := serve(ctx, in, out); err != nil && ctx.Err() == nil {
			t.Errorf("the session ends with %v", err)
		}
	}()
	go func() {
		defer close(w.answers)
		for r := bufio.NewReader(stdout); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.answers <- strings.TrimSpace(line)
		}
	}()
	shake(t, w)
	return w
}

func shake(t *testing.T, s session) {
	s.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if got := s.receive(t, 0); !strings.Contains(got, `"toolValidation"`) {
		t.Fatalf("the handshake: %s", got)
	}
	s.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (w *wire) send(t *testing.T, message string) {
	if _, err := io.WriteString(w.in, message+"\n"); err != nil {
		t.Fatalf("sending %s: %v", message, err)
	}
}

func (w *wire) receive(t *testing.T, id int) string {
	for timeout := time.After(patience); w.kept[fmt.Sprint(id)] == ""; {
		select {
		case line, ok := <-w.answers:
			if !ok {
				t.Fatalf("the session ends before the answer to %d", id)
			}
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("an answer that is no JSON: %s", line)
			}
			w.kept[string(m.ID)] = line
		case <-timeout:
			t.Fatalf("no answer to %d", id)
		}
	}
	return w.kept[fmt.Sprint(id)]
}

func (w *wire) close(t *testing.T) {
	w.in.Close()
	select {
	case <-w.done:
	case <-time.After(2 * time.Second): // a call that sleeps
		w.stop()
		<-w.done
	}
}

func (s setting) relay() relay.Config {
	return relay.Config{Server: "s", Gate: func() *toolvet.Gate { return s.gate }, Observer: s.observer, Rehearse: s.rehearse}
}

func openStdio(t *testing.T, s setting) session {
	return lines(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return s.stdio(ctx, ann, in, out)
	})
}

func (s setting) stdio(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
	_, err := stdio.Run(ctx, stdio.Config{
		Config: s.relay(), Connect: func() (stdio.Peer, error) { return s.server.connect(), nil }, Session: who, Stdin: in, Stdout: out, Linger: time.Second,
	})
	return err
}

func openGateway(t *testing.T, s setting) session {
	g, err := gateway.New(gateway.Config{Observer: s.observer, Servers: []gateway.Server{{
		Server: upstream.Server{Name: "s", Dialer: s.server}, Gate: func() *toolvet.Gate { return s.gate }, Rehearse: s.rehearse,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	return lines(t, func(ctx context.Context, in io.Reader, out io.Writer) error { return g.Serve(ctx, ann, in, out) })
}

func openSDK(t *testing.T, s setting) session {
	server := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, &mcp.ServerOptions{
		Instructions: map[bool]string{true: orders}[s.server.poisoned],
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return otherResult(s, "completion/complete", "", new(mcp.CompleteResult))
		},
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "file:///{+path}", Name: "files"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return otherResult(s, "resources/read", r.Params.URI, new(mcp.ReadResourceResult))
	})
	server.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "path"}}}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return otherResult(s, "prompts/get", "", new(mcp.GetPromptResult))
	})
	if err := mcpgate.Install(server, s.gate); err != nil {
		t.Fatal(err)
	}
	for _, raw := range s.server.definitions() {
		var tool mcp.Tool
		if err := json.Unmarshal([]byte(raw), &tool); err != nil {
			t.Fatal(err)
		}
		var schemas struct{ InputSchema, OutputSchema json.RawMessage }
		if err := json.Unmarshal([]byte(raw), &schemas); err != nil {
			t.Fatal(err)
		}
		if tool.InputSchema = schemas.InputSchema; schemas.OutputSchema != nil {
			tool.OutputSchema = schemas.OutputSchema
		}
		server.AddTool(&tool, s.handler(tool.Name))
	}
	return lines(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
		if err == io.EOF {
			return nil
		}
		return err
	})
}

// otherResult is the fake server's result of a request other than tools/call in the SDK's form.
func otherResult[Result any](s setting, method, uri string, res *Result) (*Result, error) {
	s.server.mu.Lock()
	s.server.ran = append(s.server.ran, method)
	s.server.mu.Unlock()
	return res, json.Unmarshal(fmt.Appendf(nil, others[method], fmt.Sprintf("%q", uri)), res)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// handler is a tool of the fake server as a handler of the SDK.
func (s setting) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.server.mu.Lock()
		s.server.ran = append(s.server.ran, took(name, r.Params.Arguments))
		s.server.mu.Unlock()
		raw, ok := results[name]
		switch {
		case !ok:
			<-ctx.Done()
			return nil, ctx.Err()
		case errors[name]:
			e := new(jsonrpc.Error)
			if err := json.Unmarshal([]byte(raw), e); err != nil {
				return nil, err
			}
			return nil, e
		}
		var exact struct {
			mcp.CallToolResult
			Structured json.RawMessage `json:"structuredContent"`
		}
		if err := json.Unmarshal([]byte(raw), &exact.CallToolResult); err != nil {
			return nil, err
		}
		var kept struct{ StructuredContent json.RawMessage }
		if err := json.Unmarshal([]byte(raw), &kept); err != nil {
			return nil, err
		}
		res := &mcp.CallToolResult{Content: exact.Content, IsError: exact.IsError}
		if kept.StructuredContent != nil {
			res.StructuredContent = kept.StructuredContent
		}
		return res, nil
	}
}

// A poster is a session over HTTP: a POST for each message.
type poster struct {
	url     string
	header  http.Header
	answers map[int]chan string
	ctx     context.Context
	stop    func()
}

func newPoster(t *testing.T, handler http.Handler) *poster {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	ctx, stop := context.WithCancel(t.Context())
	return &poster{url: s.URL, header: http.Header{}, answers: map[int]chan string{}, ctx: ctx, stop: stop}
}

func openHTTP(t *testing.T, s setting) session {
	at, err := url.Parse(s.server.http(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := httpdoor.New(httpdoor.Config{Config: s.relay(), Upstream: at, Session: func(*http.Request) call.Session { return ann }})
	if err != nil {
		t.Fatal(err)
	}
	p := newPoster(t, proxy)
	shake(t, p)
	return p
}

func openFront(t *testing.T, s setting) session {
	server, err := relay.NewServer(s.relay())
	if err != nil {
		t.Fatal(err)
	}
	front := streamable.NewFront(streamable.FrontConfig{
		Serve: s.stdio, Caller: func(*http.Request) (string, call.Session) { return "ann", ann }, Refused: server.Refused,
	})
	p := newPoster(t, front)
	t.Cleanup(func() { front.Close(context.Background()) })
	shake(t, p)
	return p
}

func (p *poster) send(t *testing.T, message string) {
	var m struct {
		ID     *int
		Method string
	}
	for _, member := range membersOf([]byte(message)) { // a batch has no id of its own
		switch member.Key {
		case "id":
			_ = json.Unmarshal(member.Raw, &m.ID)
		case "method":
			_ = json.Unmarshal(member.Raw, &m.Method)
		}
	}
	r, err := http.NewRequestWithContext(p.ctx, http.MethodPost, p.url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = p.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	post := func() string {
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return ""
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" && m.Method == "initialize" {
			p.header.Set("Mcp-Session-Id", id)
		}
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	if m.ID == nil || m.Method == "initialize" {
		answer := make(chan string, 1)
		answer <- post()
		if m.ID != nil {
			p.answers[*m.ID] = answer
		}
		return
	}
	answer := make(chan string, 1)
	p.answers[*m.ID] = answer
	go func() { answer <- post() }()
}

func (p *poster) receive(t *testing.T, id int) string {
	select {
	case body := <-p.answers[id]:
		if !strings.HasPrefix(body, "{") { // events; the last is the answer
			_, data, _ := strings.Cut(body[max(0, strings.LastIndex(body, "\ndata: ")):], "data: ")
			data, _, _ = strings.Cut(data, "\n")
			return data
		}
		return strings.TrimSpace(body)
	case <-time.After(patience):
		t.Fatalf("no answer to %d", id)
	}
	return ""
}

// close ends the requests, and the session if there is one.
func (p *poster) close(t *testing.T) {
	p.stop()
	if p.header.Get("Mcp-Session-Id") == "" {
		return
	}
	r, err := http.NewRequest(http.MethodDelete, p.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = p.header.Clone()
	if resp, err := http.DefaultClient.Do(r); err == nil {
		resp.Body.Close()
	}
}

// A library is package upstream, which is called and not sent messages.
type library struct {
	set     *upstream.Set
	answers map[int]chan string
	ctx     context.Context
	stop    func()
	cancels map[int]func()
}

func openUpstream(t *testing.T, s setting) session {
	set, err := upstream.NewSet(upstream.Config{
		Servers: []upstream.Server{{Name: "s", Dialer: s.server}}, Observer: s.observer, Gate: func(string) *toolvet.Gate { return s.gate },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close(context.Background()) })
	ctx, stop := context.WithCancel(t.Context())
	return &library{set: set, answers: map[int]chan string{}, cancels: map[int]func(){}, ctx: ctx, stop: stop}
}

func (l *library) send(t *testing.T, text string) {
	m := messageOf([]byte(text))
	if m.Method == "notifications/cancelled" {
		var cancelled struct{ Params struct{ RequestID int } }
		if err := json.Unmarshal([]byte(text), &cancelled); err != nil {
			t.Fatal(err)
		}
		l.cancels[cancelled.Params.RequestID]()
		return
	}
	var id int
	if err := json.Unmarshal(m.ID, &id); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(l.ctx)
	answer := make(chan string, 1)
	l.answers[id], l.cancels[id] = answer, cancel
	go func() { answer <- l.call(ctx, id, m) }()
}

// messageOf reads a message of a play, which need not be JSON everywhere.
func messageOf(text []byte) (m message) {
	for _, member := range membersOf(text) {
		switch member.Key {
		case "id":
			m.ID = member.Raw
		case "method":
			_ = json.Unmarshal(member.Raw, &m.Method)
		case "params":
			m.raw = member.Raw
		}
	}
	for _, member := range membersOf(m.raw) {
		switch member.Key {
		case "name":
			_ = json.Unmarshal(member.Raw, &m.Params.Name)
		case "arguments":
			m.Params.Arguments = member.Raw
		}
	}
	return m
}

func membersOf(text []byte) []strictjson.Member {
	members, _ := strictjson.Outline(text, call.Limits{})
	return members
}

func (l *library) call(ctx context.Context, id int, m message) string {
	who := upstream.WithSession(&ann)
	if m.Params.Name == "validate" {
		var tool string
		var arguments json.RawMessage
		for _, member := range membersOf(m.Params.Arguments) {
			switch member.Key {
			case "tool":
				_ = json.Unmarshal(member.Raw, &tool)
			case "arguments":
				arguments = member.Raw
			}
		}
		r, err := l.set.Validate(ctx, "s:"+tool, arguments, who, upstream.WithRequestID(fmt.Sprint(id)))
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, (&protocol.Result{Validation: r}).Answer(false))
	}
	if m.Method != "tools/call" {
		raw, err := servers.Of(l.set).Ask(ctx, "s", upstream.Request{Method: m.Method, Params: m.raw}, who, upstream.WithRequestID(fmt.Sprint(id)))
		if refused, ok := err.(*upstream.RefusedError); ok {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":%s}`, id, refused.Raw)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, raw)
	}
	o, err := l.set.Call(ctx, "s:"+m.Params.Name, m.Params.Arguments, who, upstream.WithRequestID(fmt.Sprint(id)))
	if o != nil {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, o.Raw)
	}
	if refused, ok := err.(*upstream.RefusedError); ok {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":%s}`, id, refused.Raw)
	}
	return err.Error()
}

func (l *library) receive(t *testing.T, id int) string {
	select {
	case answer := <-l.answers[id]:
		return answer
	case <-time.After(patience):
		t.Fatalf("no answer to %d", id)
	}
	return ""
}

func (l *library) close(*testing.T) { l.stop() }

// decoded is an answer as a value, with the digits of its numbers.
func decoded(t *testing.T, answer string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(answer)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("an answer that is no JSON: %q: %v", answer, err)
	}
	return v
}
