// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package upstreamtest fakes servers for tests of what calls them:
//
//	set, err := upstream.NewSet(upstream.Config{Gate: gate, Servers: []upstream.Server{{
//		Name:   "files",
//		Dialer: upstreamtest.Server{{Name: "read", Handler: read}},
//	}}})
package upstreamtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/toolvet/toolvet/upstream"
)

// A Tool is a tool of a Server.
type Tool struct {
	Name        string
	InputSchema json.RawMessage // nil: any object
	// Handler answers a call with a text, or fails. It may be called concurrently. Ctx is done when the
	// connection ends; nobody waits for a Handler that goes on, as nobody waits for a process that is killed. Nil
	// answers "ok".
	Handler func(ctx context.Context, arguments json.RawMessage) (text string, err error)
}

// A Server is an MCP server of revision 2025-11-25 inside the process, with these tools. It is the
// [upstream.Dialer] of itself: each connection is a session of its own.
type Server []Tool

// Dial implements [upstream.Dialer]. An InputSchema that is no JSON is an error.
func (s Server) Dial(context.Context, io.Writer) (upstream.Transport, error) {
	for _, t := range s {
		if t.InputSchema != nil && !json.Valid(t.InputSchema) {
			return nil, fmt.Errorf("upstreamtest: the InputSchema of %q is no JSON", t.Name)
		}
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{stdin: toServer, stdout: fromServer, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		defer out.Close()
		defer cancel()
		s.serve(ctx, in, out)
	}()
	return c, nil
}

// A message is a request, or the answer to one.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// serve answers requests until in ends, and returns when the last is answered or ctx is done.
func (s Server) serve(ctx context.Context, in io.Reader, out io.Writer) {
	var calls sync.WaitGroup
	defer func() {
		answered := make(chan struct{})
		go func() { defer close(answered); calls.Wait() }()
		select {
		case <-answered:
		case <-ctx.Done():
		}
	}()
	var writing sync.Mutex
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue // a notification
		}
		calls.Go(func() {
			answer := message{Version: "2.0", ID: m.ID}
			if answer.Result = s.answer(ctx, m); answer.Result == nil {
				answer.Error = map[string]any{"code": -32601, "message": "upstreamtest has no " + m.Method}
			}
			text, err := json.Marshal(answer)
			if err != nil { // impossible: it holds strings and what was read as JSON
				return
			}
			writing.Lock()
			defer writing.Unlock()
			_, _ = out.Write(append(text, '\n')) // a client that is gone needs no answer
		})
	}
}

// answer returns a result, or nil for an unknown method.
func (s Server) answer(ctx context.Context, m message) any {
	switch m.Method {
	case "initialize":
		return map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "upstreamtest", "version": "1"}}
	case "ping":
		return map[string]any{}
	case "tools/list":
		tools := []any{}
		for _, t := range s {
			schema := t.InputSchema
			if schema == nil {
				schema = json.RawMessage(`{"type":"object"}`)
			}
			tools = append(tools, map[string]any{"name": t.Name, "inputSchema": schema})
		}
		return map[string]any{"tools": tools}
	case "tools/call":
		var params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		_ = json.Unmarshal(m.Params, &params) // params of another kind name no tool
		text, err := s.call(ctx, params.Name, params.Arguments)
		if err != nil {
			text = err.Error()
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": err != nil}
	}
	return nil
}

func (s Server) call(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
	for _, t := range s {
		if t.Name == name && t.Handler != nil {
			return t.Handler(ctx, arguments)
		}
		if t.Name == name {
			return "ok", nil
		}
	}
	return "", fmt.Errorf("no tool %q", name)
}

// A conn is a connection to a Server.
type conn struct {
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

func (c *conn) Stdin() io.WriteCloser { return c.stdin }
func (c *conn) Stdout() io.ReadCloser { return c.stdout }
func (c *conn) Done() <-chan struct{} { return c.done }

func (c *conn) Stop(context.Context) error {
	c.stdin.Close()
	c.cancel()
	c.stdout.Close() // nobody reads what is still to come
	<-c.done
	return nil
}
