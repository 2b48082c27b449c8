// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/machine/process"
)

var update = flag.Bool("update", false, "rewrite what the proxy writes in testdata/*.txtar")

// TestTranscripts plays the conversations of testdata. Each line starts with who does
// what:
//
//	C> the client writes      S< the server gets (exactly)
//	S> the server writes      C< the client gets (exactly)
//	C. the client closes its side      S! the server dies
//
// A line that nobody expects fails the test, at the latest at its end.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, part := range archive.Files {
				t.Run(part.Name, func(t *testing.T) {
					got := playAll(t, string(part.Data))
					if *update {
						archive.Files[i].Data = []byte(got)
						return
					}
					if diff := cmp.Diff(string(part.Data), got); diff != "" {
						t.Errorf("transcript (-want +got):\n%s", diff)
					}
				})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// playAll plays a transcript and returns it with what was really written.
func playAll(t *testing.T, transcript string) string {
	s := newStage(t, Config{})
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(transcript, "\n"), "\n") {
		fmt.Fprintln(&got, s.play(line))
	}
	s.client.Close()
	s.server.die(process.Exit{})
	s.wait()
	for line := range s.fromProxy {
		fmt.Fprintln(&got, "C< "+line+"   (not expected)")
	}
	for line := range s.server.got {
		fmt.Fprintln(&got, "S< "+line+"   (not expected)")
	}
	return got.String()
}

// A stage is a proxy between a client and a server that a test plays.
type stage struct {
	t         *testing.T
	client    io.WriteCloser
	fromProxy chan string // lines that the client gets; closed at the end
	server    *fakeServer
	done      chan int
}

func newStage(t *testing.T, cfg Config) *stage {
	t.Helper()
	gate, err := toolvet.New()
	if err != nil {
		t.Fatal(err)
	}
	clientIn, client := io.Pipe()
	out, clientOut := io.Pipe()
	cfg.PrivatePrefix = "toolvet-test-"
	cfg.Command, cfg.Stdin, cfg.Stdout = []string{"fake"}, clientIn, clientOut
	if cfg.Gate == nil {
		cfg.Gate = func() *toolvet.Gate { return gate }
	}
	p, err := newSession(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, client: client, fromProxy: linesOf(out), server: newFakeServer(), done: make(chan int, 1)}
	go func() {
		s.done <- p.serve(context.Background(), s.server)
		clientOut.Close()
	}()
	t.Cleanup(func() {
		client.Close()
		s.server.die(process.Exit{})
	})
	return s
}

func (s *stage) wait() int {
	s.t.Helper()
	select {
	case code := <-s.done:
		return code
	case <-time.After(patience):
		s.t.Fatal("the proxy does not end")
		return 0
	}
}

// patience bounds what should take no time, so that a fault fails and does not hang.
const patience = 20 * time.Second

// age matches how old a verdict from the cache is, and how long it holds: the clock decides. The first group is what a transcript
// shows before the time to live.
var age = regexp.MustCompile(`(\\?"cached\\?":true,)(?:\\?"ageMs\\?":\d+,)?\\?"ttlMs\\?":\d+`)

func (s *stage) play(line string) string {
	s.t.Helper()
	who, text, _ := strings.Cut(line, " ")
	switch who {
	case "C>":
		write(s.t, s.client, text)
	case "S>":
		write(s.t, s.server.out, text)
	case "C<":
		return "C< " + age.ReplaceAllString(s.next("client", s.fromProxy), "${1}…")
	case "S<":
		return "S< " + s.next("server", s.server.got)
	case "C.":
		s.client.Close()
	case "S!":
		s.server.die(process.Exit{Code: 137, Signal: "SIGKILL"})
	case "", "#":
	default:
		s.t.Fatalf("transcript line %q starts with none of C> C< S> S< C. S! #", line)
	}
	return line
}

func (s *stage) next(who string, from chan string) string {
	s.t.Helper()
	select {
	case line, ok := <-from:
		if !ok {
			s.t.Fatalf("the %s gets nothing more", who)
		}
		return line
	case <-time.After(patience):
		s.t.Fatalf("the %s gets nothing", who)
	}
	return ""
}

func write(t *testing.T, w io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(w, line+"\n"); err != nil {
		t.Fatalf("writing %.80s: %v", line, err)
	}
}

// linesOf reads r in the background, so that a writer never waits.
func linesOf(r io.Reader) chan string {
	out := make(chan string, 1000)
	go func() {
		defer close(out)
		b := bufio.NewReaderSize(r, 1<<20)
		for {
			line, err := b.ReadString('\n')
			if line != "" {
				out <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// A fakeServer is a server that a test plays.
type fakeServer struct {
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	out    *io.PipeWriter
	got    chan string // lines that the server gets; closed at the end

	mu   sync.Mutex
	exit process.Exit
}

func newFakeServer() *fakeServer {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	return &fakeServer{stdin: stdin, stdout: stdout, out: out, got: linesOf(in)}
}

func (f *fakeServer) Stdin() io.WriteCloser { return f.stdin }
func (f *fakeServer) Stdout() io.ReadCloser { return f.stdout }

func (f *fakeServer) Stop(context.Context) error {
	f.stdin.Close()
	f.out.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.exit.Err()
}

// die is the server's own end.
func (f *fakeServer) die(exit process.Exit) {
	f.mu.Lock()
	if f.exit == (process.Exit{}) {
		f.exit = exit
	}
	f.mu.Unlock()
	f.stdin.CloseWithError(errors.New("broken pipe"))
	f.out.Close()
}
