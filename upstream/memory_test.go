// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

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
	"sync/atomic"
	"testing"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/upstream"
)

// A memory is a server in this process: what it answers to each method, and how often it
// was connected to and asked.
type memory struct {
	version  string // default 2025-11-25
	announce string // capabilities; default {"tools":{}}
	refuse   func(n int) error
	answers  map[string]func(*session, message)
	born     func(*session) // when the handshake is over

	mu     sync.Mutex
	asked  map[string]int
	dialed int
	last   *session
}

// A session is one connection to a memory.
type session struct {
	memory   *memory
	stdin    *io.PipeReader
	stdout   *io.PipeWriter
	toServer *io.PipeWriter
	toClient *io.PipeReader
	done     chan struct{}
	write    sync.Mutex
	cancels  atomic.Int32
}

func (m *memory) Dial(_ context.Context, _ io.Writer) (upstream.Transport, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dialed++
	if m.refuse != nil {
		if err := m.refuse(m.dialed); err != nil {
			return nil, err
		}
	}
	s := &session{memory: m, done: make(chan struct{})}
	s.stdin, s.toServer = io.Pipe()
	s.toClient, s.stdout = io.Pipe()
	m.last = s
	go s.run()
	return s, nil
}

func (s *session) Stdin() io.WriteCloser { return s.toServer }
func (s *session) Stdout() io.ReadCloser { return s.toClient }
func (s *session) Done() <-chan struct{} { return s.done }
func (s *session) Stop(context.Context) error {
	s.die()
	<-s.done
	return process.Exit{Code: 137, Signal: "SIGKILL"}
}

// die is what kill -9 does.
func (s *session) die() {
	s.toServer.Close()
	s.stdin.Close()
	s.stdout.Close()
}

func (s *session) run() {
	defer close(s.done)
	defer s.die()
	in := bufio.NewReader(s.stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			panic(err)
		}
		s.memory.handle(s, m)
	}
}

func (m *memory) handle(s *session, asked message) {
	m.mu.Lock()
	if m.asked == nil {
		m.asked = map[string]int{}
	}
	m.asked[asked.Method]++
	m.mu.Unlock()
	if asked.Method == "notifications/cancelled" {
		s.cancels.Add(1)
	}
	answer, ok := m.answers[asked.Method]
	switch {
	case ok:
		go answer(s, asked)
	case asked.Method == "initialize" && m.version == "2026-07-28":
		go s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, asked.ID)
	case asked.Method == "initialize":
		go s.answer(asked, `{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"memory","version":"1"}}`, m.capabilities())
	case asked.Method == "server/discover":
		go s.answer(asked, `{"supportedVersions":["2026-07-28"],"capabilities":%s,"resultType":"complete"}`, m.capabilities())
	case asked.Method == "notifications/initialized" && m.born != nil:
		go m.born(s)
	case asked.ID != nil && asked.Method != "":
		go s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, asked.ID)
	}
}

func (m *memory) capabilities() string {
	if m.announce == "" {
		return `{"tools":{}}`
	}
	return m.announce
}

func (s *session) line(format string, args ...any) {
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = fmt.Fprintf(s.stdout, format+"\n", args...) // who is gone is told nothing
}

func (s *session) answer(m message, format string, args ...any) {
	s.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, fmt.Sprintf(format, args...))
}

// count tells how often a method was asked.
func (m *memory) count(method string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[method]
}

func (m *memory) dials() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dialed
}

func (m *memory) session() *session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// fixed answers always the same.
func fixed(result string) func(*session, message) {
	return func(s *session, m message) { s.answer(m, "%s", result) }
}

// silent never answers.
func silent(*session, message) {}

const readTool = `{"tools":[{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"odd:name","inputSchema":{"type":"object"}}]}`

// newMemory is a server with two tools that answers with its arguments.
func newMemory(more map[string]func(*session, message)) *memory {
	answers := map[string]func(*session, message){
		"tools/list": fixed(readTool),
		"tools/call": func(s *session, m message) {
			s.answer(m, `{"content":[{"type":"text","text":"ran"}],"echo":%s}`, m.Params.Arguments)
		},
	}
	maps.Copy(answers, more)
	return &memory{answers: answers}
}

// newSet makes a Set of servers in this process.
func newSet(t *testing.T, cfg upstream.Config, servers map[string]upstream.Dialer) *upstream.Set {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		cfg.Servers = append(cfg.Servers, upstream.Server{Name: name, Dialer: servers[name]})
	}
	s, err := upstream.NewSet(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

var errNoProgram = errors.New("no such program")

func stateOf(t *testing.T, s *upstream.Set, name string) upstream.State {
	t.Helper()
	for _, state := range s.States() {
		if state.Server == name {
			return state
		}
	}
	t.Fatalf("no state of %q", name)
	return upstream.State{}
}

func hasAll(s string, words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
}
