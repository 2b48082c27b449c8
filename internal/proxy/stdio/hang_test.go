// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// A deafServer reads nothing, and writes what the test has it write.
type deafServer struct {
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	out    *io.PipeWriter
}

func newDeafServer() *deafServer {
	_, stdin := io.Pipe()
	stdout, out := io.Pipe()
	return &deafServer{stdin, stdout, out}
}

func (s *deafServer) Stdin() io.WriteCloser { return s.stdin }
func (s *deafServer) Stdout() io.ReadCloser { return s.stdout }

func (s *deafServer) Stop(context.Context) error {
	s.stdin.CloseWithError(os.ErrClosed)
	s.out.CloseWithError(io.EOF)
	return process.Exit{Code: 137, Signal: "SIGKILL"}
}

// serve runs a session and returns what closes when it has ended.
func serve(t *testing.T, ctx context.Context, in io.Reader, out io.Writer, s Peer) <-chan struct{} {
	t.Helper()
	gate, err := toolvet.New()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newSession(Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}, Command: []string{"fake"}, Stdin: in, Stdout: out})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); p.serve(ctx, s) }()
	return done
}

func ends(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		stacks := make([]byte, 1<<20)
		t.Fatalf("the proxy does not end\n%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// flood writes notifications until nobody takes them.
func flood(w io.Writer) {
	for {
		if _, err := io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`+"\n"); err != nil {
			return
		}
	}
}

// TestClientReadsNothing: a client that does not take what is written cannot keep the
// proxy, neither when it closes its side nor when the proxy is told to end.
func TestClientReadsNothing(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"closes", "told"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, client := io.Pipe()
			unread, out := io.Pipe()
			defer unread.Close()
			s := newDeafServer()
			done := serve(t, ctx, in, out, s)
			go flood(s.out)
			if how == "closes" {
				client.Close()
			} else {
				cancel()
			}
			ends(t, done)
		})
	}
}

// TestClientDiesBesideDeafServer: the proxy waits to write to a server that reads
// nothing, and still learns that its client is gone.
func TestClientDiesBesideDeafServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a pipe does not tell there that nobody reads it")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	in, client := io.Pipe()
	defer client.Close()
	done := serve(t, t.Context(), in, write, newDeafServer())
	go func() {
		for i := range 1000 {
			if _, err := fmt.Fprintf(client, `{"jsonrpc":"2.0","id":%d,"method":"x","params":[%q]}`+"\n", i, strings.Repeat("x", 10_000)); err != nil {
				return
			}
		}
	}()
	read.Close() // the client dies; its other end is held open by somebody
	ends(t, done)
}

// TestClientTakesNoMore: the first line that cannot be written ends the session, though
// the client's other end stays open.
func TestClientTakesNoMore(t *testing.T) {
	t.Parallel()
	in, client := io.Pipe()
	defer client.Close()
	closed, out := io.Pipe()
	closed.Close()
	s := newDeafServer()
	done := serve(t, t.Context(), in, out, s)
	go flood(s.out)
	ends(t, done)
}

// TestDroppedBehindAnswer: an answer reaches the client though the message that the server wrote together with it is
// not passed on.
func TestDroppedBehindAnswer(t *testing.T) {
	t.Parallel()
	for name, dropped := range map[string]string{
		"late answer": `{"jsonrpc":"2.0","id":7,"result":{}}`,
		"no message":  `what`,
		"empty line":  ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, Config{})
			s.play(`C> {"jsonrpc":"2.0","id":1,"method":"x"}`)
			s.play("S<")
			s.play(`S> {"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + dropped)
			if line := s.play("C<"); !strings.Contains(line, `"id":1,"result"`) {
				t.Errorf("the client gets %s", line)
			}
		})
	}
}

// TestSlowListing: a listing that the server does not answer refuses the calls that need
// it, all at once, and no call of a tool that is known.
func TestSlowListing(t *testing.T) {
	t.Parallel()
	s := newStage(t, Config{Config: relay.Config{ServerTimeout: 300 * time.Millisecond}})
	for id := range 3 {
		s.play(fmt.Sprintf(`C> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id))
	}
	if line := s.play("S<"); !strings.Contains(line, "tools/list") {
		t.Fatalf("the server gets %s", line)
	}
	for range 3 {
		if line := s.play("C<"); !strings.Contains(line, "did not answer tools/list in time") {
			t.Errorf("the client gets %s", line)
		}
	}
	select {
	case line := <-s.server.got:
		t.Errorf("the server is asked again: %s", line)
	default:
	}
}
