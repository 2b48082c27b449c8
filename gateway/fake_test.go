// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/upstream"
)

// patience is more than anything here takes, also on a machine that is busy.
const patience = time.Minute

// A message is a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m message) param(path ...string) string {
	raw := m.Params
	for _, key := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return ""
		}
		raw = object[key]
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// A fake is a server in this process, with every liberty.
type fake struct {
	announce string // capabilities; default: those of the lists in answers
	answers  map[string]func(*conn, message)
	refuse   func(n int) error // of connections
	modern   bool              // it speaks 2026-07-28 alone

	mu     sync.Mutex
	dialed int
	last   *conn
	asked  []message
}

// A conn is one connection to a fake.
type conn struct {
	*fake
	stdin    *io.PipeReader
	stdout   *io.PipeWriter
	toServer *io.PipeWriter
	toClient *io.PipeReader
	done     chan struct{}
	write    sync.Mutex
	offered  json.RawMessage // what initialize said of the client
	waiting  sync.Mutex
	replies  map[string]chan message
	closed   sync.Once
}

// says is a handler that answers with a result.
func says(result string) func(*conn, message) {
	return func(c *conn, m message) { c.answer(m, result) }
}

// lists makes a server of the entries of its lists, and of a tools/call.
func lists(entries map[string]string, calls func(*conn, message)) *fake {
	f := &fake{answers: map[string]func(*conn, message){"tools/call": calls}}
	announced := []string{}
	for method, list := range entries {
		name := member(method)
		f.answers[method] = says(fmt.Sprintf(`{%q:[%s]}`, name, list))
		if kind, _, _ := strings.Cut(method, "/"); method != "resources/templates/list" {
			announced = append(announced, fmt.Sprintf(`%q:{"listChanged":true,"subscribe":true}`, kind))
		}
	}
	f.announce = "{" + strings.Join(append(announced, `"logging":{},"completions":{}`), ",") + "}"
	return f
}

func member(method string) string {
	if method == "resources/templates/list" {
		return "resourceTemplates"
	}
	kind, _, _ := strings.Cut(method, "/")
	return kind
}

// tools are definitions of tools that take a number n.
func tools(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1.0e2}}}}`, name))
	}
	return strings.Join(list, ",")
}

// echo answers a call with what it was given.
func echo(c *conn, m message) {
	c.answer(m, fmt.Sprintf(`{"content":[],"got":%s}`, m.Params))
}

// on changes what is answered while the server runs.
func (f *fake) on(method string, answer func(*conn, message)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[method] = answer
}

func (f *fake) Dial(context.Context, io.Writer) (upstream.Transport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dialed++
	if f.refuse != nil {
		if err := f.refuse(f.dialed); err != nil {
			return nil, err
		}
	}
	c := &conn{fake: f, done: make(chan struct{}), replies: map[string]chan message{}}
	c.stdin, c.toServer = io.Pipe()
	c.toClient, c.stdout = io.Pipe()
	f.last = c
	go c.run()
	return c, nil
}

func (c *conn) Stdin() io.WriteCloser { return c.toServer }
func (c *conn) Stdout() io.ReadCloser { return c.toClient }
func (c *conn) Done() <-chan struct{} { return c.done }
func (c *conn) Stop(context.Context) error {
	c.die()
	<-c.done
	return process.Exit{Code: 137, Signal: "SIGKILL"}
}

// die is what kill -9 does.
func (c *conn) die() {
	c.toServer.Close()
	c.stdin.CloseWithError(io.ErrClosedPipe)
	c.stdout.Close()
	c.closed.Do(func() { close(c.done) })
}

func (c *conn) run() {
	defer c.die()
	in := bufio.NewReader(c.stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			return
		}
		c.fake.mu.Lock()
		c.asked = append(c.asked, m)
		c.fake.mu.Unlock()
		go c.handle(m)
	}
}

func (c *conn) handle(m message) {
	c.fake.mu.Lock()
	handler := c.answers[m.Method]
	c.fake.mu.Unlock()
	switch {
	case m.Method == "":
		c.waiting.Lock()
		reply := c.replies[string(m.ID)]
		c.waiting.Unlock()
		if reply != nil {
			reply <- m
		}
	case handler != nil:
		handler(c, m)
	case m.Method == "initialize" && !c.modern:
		c.offered = json.RawMessage(m.param("capabilities"))
		c.answer(m, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"fake","version":"1"},"instructions":"use me well"}`, c.announce))
	case m.Method == "server/discover" && c.modern:
		c.answer(m, fmt.Sprintf(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s}`, c.announce))
	case m.ID != nil:
		c.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method","data":{"x":1.0}}}`, m.ID)
	}
}

func (c *conn) line(format string, args ...any) {
	c.write.Lock()
	defer c.write.Unlock()
	fmt.Fprintf(c.stdout, format+"\n", args...)
}

func (c *conn) answer(m message, result string) {
	c.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// ask makes a request of the server's to its client.
func (c *conn) ask(id, method, params string) message {
	reply := make(chan message, 1)
	c.waiting.Lock()
	c.replies[id] = reply
	c.waiting.Unlock()
	c.line(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	select {
	case m := <-reply:
		return m
	case <-c.done:
		return message{}
	}
}

// kill ends the connection of the moment.
func (f *fake) kill() {
	f.mu.Lock()
	c := f.last
	f.mu.Unlock()
	c.die()
}

// got are the requests of a method that the server had.
func (f *fake) got(method string) (list []message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.asked {
		if m.Method == method {
			list = append(list, m)
		}
	}
	return list
}

// gate is a gate with the default checks.
func gate(t *testing.T, options ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	g, err := toolvet.New(append([]toolvet.Option{toolvet.WithChecks(suite.Default()...)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// listOf returns the fakes as servers, in the order of their names.
func listOf(t *testing.T, fakes map[string]*fake) []gateway.Server {
	t.Helper()
	var list []gateway.Server
	g := gate(t)
	for _, name := range slices.Sorted(maps.Keys(fakes)) {
		list = append(list, gateway.Server{Server: upstream.Server{Name: name, Dialer: fakes[name]}, Gate: func() *toolvet.Gate { return g }, Version: "1"})
	}
	return list
}

// open makes a gateway of fakes.
func open(t *testing.T, fakes map[string]*fake, change ...func(*gateway.Config)) *gateway.Gateway {
	t.Helper()
	cfg := gateway.Config{Servers: listOf(t, fakes)}
	cfg.SetPatience(patience)
	for _, f := range change {
		f(&cfg)
	}
	g, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	return g
}

// A client is one of a gateway.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	ended chan error
	stop  context.CancelFunc

	mu    sync.Mutex
	lines []message
	raw   []string
	more  chan struct{} // closed when there are more
	last  int
}

// connect begins a session that has not said anything.
func connect(t *testing.T, g *gateway.Gateway, who string) *client {
	t.Helper()
	c := &client{t: t, ended: make(chan error, 1), more: make(chan struct{})}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c.in = stdin
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	go func() {
		c.ended <- g.Serve(ctx, call.Session{Subject: who, Transport: "stdio"}, in, out)
		in.CloseWithError(io.ErrClosedPipe)
		out.Close()
	}()
	go c.read(stdout)
	t.Cleanup(func() { c.stop(); stdin.Close() })
	return c
}

// legacy begins a session of 2025-11-25 with a client of these capabilities.
func legacy(t *testing.T, g *gateway.Gateway, who, capabilities string) *client {
	t.Helper()
	c := connect(t, g, who)
	c.request("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"c","version":"1"}}`, capabilities))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.request("ping", `{}`) // it has been read
	return c
}

func (c *client) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Errorf("the gateway wrote what is no message: %v: %.200s", err, line)
		}
		c.mu.Lock()
		c.lines, c.raw = append(c.lines, m), append(c.raw, strings.TrimSuffix(line, "\n"))
		close(c.more)
		c.more = make(chan struct{})
		c.mu.Unlock()
	}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		c.t.Errorf("the gateway does not read: %v", err)
	}
}

// got returns the messages so far.
func (c *client) got() []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lines)
}

// wait returns the first message from the one numbered from on that is as wanted.
func (c *client) wait(what string, wanted func(message) bool) (message, string) {
	c.t.Helper()
	deadline := time.After(patience)
	for from := 0; ; {
		c.mu.Lock()
		for ; from < len(c.lines); from++ {
			if wanted(c.lines[from]) {
				defer c.mu.Unlock()
				return c.lines[from], c.raw[from]
			}
		}
		more := c.more
		c.mu.Unlock()
		select {
		case <-more:
		case <-deadline:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("%s did not come; what came: %.2000s", what, strings.Join(c.raw, "\n"))
		}
	}
}

// begin sends a request and returns its id.
func (c *client) begin(method, params string) string {
	c.t.Helper()
	c.mu.Lock()
	c.last++
	id := fmt.Sprint(c.last)
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

func (c *client) answerTo(id string) (message, string) {
	c.t.Helper()
	return c.wait("the answer to "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// request makes a request and returns the answer.
func (c *client) request(method, params string) message {
	c.t.Helper()
	m, _ := c.answerTo(c.begin(method, params))
	return m
}

// result is that of a request, which must have one.
func (c *client) result(method, params string) string {
	c.t.Helper()
	m := c.request(method, params)
	if m.Result == nil {
		c.t.Fatalf("%s %s: %s", method, params, m.Error)
	}
	return string(m.Result)
}

// notified waits for a notification.
func (c *client) notified(method string) message {
	c.t.Helper()
	m, _ := c.wait(method, func(m message) bool { return m.Method == method && m.ID == nil })
	return m
}

// names are those of the entries of a list.
func names(t *testing.T, result, list, key string) (found []string) {
	t.Helper()
	var page map[string]json.RawMessage
	var entries []map[string]json.RawMessage
	err := json.Unmarshal([]byte(result), &page)
	if err == nil {
		err = json.Unmarshal(page[list], &entries)
	}
	if err != nil {
		t.Fatalf("%v: %.500s", err, result)
	}
	for _, e := range entries {
		found = append(found, strings.Trim(string(e[key]), `"`))
	}
	return found
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); {
		if time.Now().After(deadline) {
			t.Fatalf("it never came about that %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
