// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// A peer is what a client talks to: a server, or a proxy in front of one.
type peer struct {
	t     testing.TB
	stdin io.WriteCloser
	lines chan string // what the client gets; closed at its end
	ended chan int    // the exit code
}

// newPeer talks to what run runs until it ends.
func newPeer(t testing.TB, stdin io.WriteCloser, stdout io.ReadCloser, run func() int) *peer {
	p := &peer{t: t, stdin: stdin, lines: make(chan string, 10_000), ended: make(chan int, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.ended <- run()
	}()
	go func() {
		defer close(p.lines)
		defer stdout.Close()
		r := bufio.NewReader(stdout)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				p.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		stdin.Close()
		select {
		case <-done:
		case <-time.After(patience):
			t.Errorf("the peer does not end")
		}
	})
	return p
}

// send writes lines at once.
func (p *peer) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatalf("sending %.200s: %v", lines[0], err)
	}
}

var errEnd = errors.New("the peer has ended")

func (p *peer) next() (string, error) {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			return "", errEnd
		}
		return line, nil
	case <-time.After(patience):
		return "", errors.New("nothing comes")
	}
}

// await returns the lines up to the last of those it names: the answer with an id (as it is
// spelt on the wire), or the request or notification with a method. They may come in any order:
// over HTTP, an answer and a notification can take different streams.
func (p *peer) await(what ...string) []string {
	p.t.Helper()
	missing := slices.Clone(what)
	var got []string
	for len(missing) > 0 {
		line, err := p.next()
		if err != nil {
			p.t.Fatalf("waiting for %s: %v; got %.2000q", missing, err, got)
		}
		got = append(got, line)
		m := decode(p.t, line)
		name := m.Method
		if name == "" {
			name = string(m.ID)
		}
		if i := slices.Index(missing, name); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
		}
	}
	return got
}

// ask sends a request and returns the answer to it. It ignores what comes before.
func (p *peer) ask(id, line string) message {
	p.t.Helper()
	p.send(line)
	got := p.await(id)
	return decode(p.t, got[len(got)-1])
}

// close ends the client's side and returns what still comes, and the exit code.
func (p *peer) close() (rest []string, code int) {
	p.t.Helper()
	p.stdin.Close()
	for {
		line, err := p.next()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			p.t.Fatalf("waiting for the end: %v", err)
		}
		rest = append(rest, line)
	}
	return rest, p.wait()
}

// wait returns the exit code.
func (p *peer) wait() int {
	p.t.Helper()
	select {
	case code := <-p.ended:
		return code
	case <-time.After(patience):
		p.t.Fatal("the peer does not end")
		return 0
	}
}

// A message is what a plain client reads.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func decode(t testing.TB, line string) message {
	t.Helper()
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("not a message: %v: %.200s", err, line)
	}
	return m
}

// callResult is the result of a tools/call.
type callResult struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	IsError           bool
	ResultType        string
}

func (r callResult) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

func (m message) callResult(t testing.TB) callResult {
	t.Helper()
	var r callResult
	if m.Error != nil {
		t.Fatalf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatalf("result %.300s: %v", m.Result, err)
	}
	return r
}
