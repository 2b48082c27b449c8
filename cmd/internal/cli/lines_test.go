// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/internal/cli"
)

// line is a call of a tool of its own, whose verdict shows which line it was.
func line(n int) string {
	return fmt.Sprintf(`{"tool":{"name":"t%d","inputSchema":{"properties":{"n":{"maximum":%d}}}},"arguments":{"n":%d}}`+"\n", n, n, n+n%3/2)
}

type verdict struct {
	Valid bool   `json:"valid"`
	Tool  string `json:"tool"`
}

// Verdicts come in the order of the calls, however many are judged at once.
func TestLinesOrder(t *testing.T) {
	t.Parallel()
	const calls = 1000
	var in, out, stderr bytes.Buffer
	for n := range calls {
		in.WriteString(line(n))
	}
	if code := cli.Main(t.Context(), suite.Default(), []string{"check", "--jsonl"}, &in, &out, &stderr); code != 1 {
		t.Fatalf("exit code %d, want 1; %s", code, stderr.String())
	}
	dec := json.NewDecoder(&out)
	for n := range calls {
		var got verdict
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("verdict %d: %v", n, err)
		}
		if want := (verdict{n%3 != 2, fmt.Sprint("t", n)}); got != want {
			t.Fatalf("verdict %d: got %v, want %v", n, got, want)
		}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("there is more than %d verdicts", calls)
	}
}

// A verdict is there before the next call is: toolvet may be at the other end of a
// conversation.
func TestLinesStream(t *testing.T) {
	t.Parallel()
	in, toToolvet := io.Pipe()
	fromToolvet, out := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- cli.Main(t.Context(), suite.Default(), []string{"check", "--jsonl"}, in, out, io.Discard)
	}()
	verdicts := bufio.NewReader(fromToolvet)
	for n := range 10 {
		if _, err := io.WriteString(toToolvet, line(n)); err != nil {
			t.Fatal(err)
		}
		got, err := verdicts.ReadString('\n')
		if want := fmt.Sprintf(`"tool":"t%d"`, n); err != nil || !strings.Contains(got, want) {
			t.Fatalf("got %q, %v, want it to have %s", got, err, want)
		}
	}
	toToolvet.Close()
	if code := <-ended; code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// When it is interrupted, toolvet ends although its standard input stays open.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"check"}, {"check", "--jsonl"}} {
		ctx, cancel := context.WithCancel(t.Context())
		in, toToolvet := io.Pipe()
		go func() {
			_, _ = io.WriteString(toToolvet, " ") // returns when it is being read
			cancel()
		}()
		var out, stderr bytes.Buffer
		if code := cli.Main(ctx, suite.Default(), args, in, &out, &stderr); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
		if got, want := stderr.String(), "toolvet: error: interrupted\n"; got != want {
			t.Errorf("%q: standard error: got %q, want %q", args, got, want)
		}
		toToolvet.Close()
	}
}

// Nobody reads any more: toolvet ends without a word, with the code that a shell gives to a program which SIGPIPE ended.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGPIPE")
	}
	for name, args := range map[string][]string{
		"jsonl": {"check", "--jsonl"}, "json": {"check", "--json"}, "text": {"check"}, "explain": {"explain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			var stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "toolvet", args...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(line(1)), w, &stderr
			err = cmd.Run()
			w.Close()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 141 {
				t.Errorf("got %v, want exit code 141", err)
			}
			if stderr.Len() > 0 {
				t.Errorf("standard error: %s", stderr.String())
			}
		})
	}
}
