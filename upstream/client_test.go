// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/servers"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/upstream"
)

func TestSession(t *testing.T) {
	t.Parallel()
	client := start(t, "good")
	if got, want := client.ProtocolVersion(), "2025-11-25"; got != want {
		t.Errorf("protocol version: got %s, want %s", got, want)
	}
	tools, faults, err := client.Tools(t.Context())
	if err != nil || len(faults) > 0 {
		t.Fatalf("Tools: %v, faults %v", err, faults)
	}
	if got, want := string(tools.Tool("t").InputSchema), `{"maximum":1.0e2,"x-kept":"\u00e9"}`; got != want {
		t.Errorf("schema: got %s, want the server's bytes %s", got, want)
	}
	result, err := client.Call(t.Context(), "t", json.RawMessage(`{"n":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(result), `{"content":[],"echo":{"n":12345678901234567890}}`; got != want {
		t.Errorf("result: got %s, want %s", got, want)
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{
		"old": "2024-11-05", "modern": "2026-07-28", "garbage first": "2025-06-18", "asks back": "2025-11-25",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := start(t, name).ProtocolVersion(); got != version {
				t.Errorf("protocol version: got %s, want %s", got, version)
			}
		})
	}
}

// A server that is not fit is an error that says what it did.
func TestStartErrors(t *testing.T) {
	t.Parallel()
	// For servers that never answer; some must have the time to do something else.
	const short, enough = 300 * time.Millisecond, 3 * time.Second
	for name, test := range map[string]struct {
		timeout time.Duration
		want    []string
	}{
		"future":                {0, []string{`"2031-01-01"`, "2025-11-25"}},
		"refuses all":           {0, []string{"refuses initialize: closed on \ufffd[31mSundays (code -32000)"}},
		"modern of another age": {0, []string{"2026-07-28"}},
		"only garbage":          {enough, []string{"did not answer initialize in time", "no JSON-RPC", "Listening on \ufffd[1mport 3000"}},
		"dies":                  {0, []string{"exited with code 3 before it answered initialize", "| error: API key is missing"}},
		"closes its output":     {0, []string{"closed its standard output before it answered initialize"}},
		"hangs":                 {short, []string{"did not answer initialize in time"}},
		"huge line":             {0, []string{"line longer than 65536 bytes"}},
		"wrong id":              {enough, []string{"did not answer initialize in time", "an id that no request has"}},
		"ambiguous answer":      {0, []string{"answer to initialize cannot be used", `"RESULT"`}},
		"result is no object":   {0, []string{"answer to initialize is malformed"}},
		"floods":                {short, []string{"did not answer initialize in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(t, name)
			client, err := servers.Connect(t.Context(), c, servers.Options{Timeout: test.timeout, Limits: call.Limits{Bytes: 65536}})
			if !servers.HandshakeFailed(err) {
				t.Fatalf("Connect: got %v, %v, want a failed handshake", client, err)
			}
			if test.timeout > 0 != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("errors.Is(err, context.DeadlineExceeded) is not as it should be: %v", err)
			}
			wantText(t, err, test.want)
			if name == "refuses all" && strings.Contains(err.Error(), "; then") {
				t.Errorf("one reason is told twice: %v", err)
			}
		})
	}
}

func TestStartNoProgram(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"toolvet-test-no-such-program"}} {
		client, err := servers.Connect(t.Context(), upstream.Command{Args: args}, servers.Options{})
		if err == nil || servers.HandshakeFailed(err) {
			t.Errorf("Connect(%q): got %v, %v, want an error of starting", args, client, err)
		}
	}
}

// Start gives up at once when its context is done.
func TestStartCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := command(t, "only garbage")
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := servers.Connect(ctx, c, servers.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A context that counts its time in another way says by its cause that it was late.
func TestStartLate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	c := command(t, "hangs")
	time.AfterFunc(10*time.Millisecond, func() { cancel(fmt.Errorf("too long: %w", context.DeadlineExceeded)) })
	_, err := servers.Connect(ctx, c, servers.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	wantText(t, err, []string{"did not answer initialize in time"})
}

func TestStderrIsPassedOn(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	c := command(t, "dies")
	if _, err := servers.Connect(t.Context(), c, servers.Options{Stderr: &stderr}); err == nil {
		t.Fatal("no error")
	}
	if got, want := stderr.String(), "error: API key is missing\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"pages": 30, "modern": 2, "garbage first": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, faults, err := start(t, name).Tools(t.Context())
			if err != nil || len(faults) > 0 {
				t.Fatalf("Tools: %v, faults %v", err, faults)
			}
			if got := len(tools.Names()); got != want {
				t.Errorf("got %d tools, want %d", got, want)
			}
		})
	}
}

func TestToolsFaults(t *testing.T) {
	t.Parallel()
	tools, faults, err := start(t, "odd tools").Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"good"}, tools.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if len(faults) != 2 {
		t.Errorf("got %d faults, want 2: %v", len(faults), faults)
	}
}

func TestToolsErrors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"never ends":               "more than 1000 pages",
		"goes in circles":          "never ends",
		"too many tools":           "more than 10000 tools",
		"no list":                  `no "tools"`,
		"no tools":                 "refuses tools/list: Method not found (code -32601)",
		"dies after the handshake": "exited with code 4 before it answered tools/list",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, _, err := start(t, name).Tools(t.Context())
			if err == nil {
				t.Fatalf("got %v, want an error", tools.Names())
			}
			wantText(t, err, []string{want})
		})
	}
}

// callFor makes a call that may take so long, and returns its error.
func callFor(t *testing.T, client servers.Client, limit time.Duration, arguments string) error {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := client.Call(ctx, "t", json.RawMessage(arguments))
	return err
}

// A request to a server that does not read ends in time, however large it is.
func TestCallNotRead(t *testing.T) {
	t.Parallel()
	client := start(t, "never reads")
	large := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 1<<20))
	for range 20 { // more than the client queues
		if err := callFor(t, client, 10*time.Millisecond, large); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want %v", err, context.DeadlineExceeded)
		}
	}
}

// That a server has closed its input shows when something is written, which may be
// only the second request.
func TestServerClosesInput(t *testing.T) {
	t.Parallel()
	client := start(t, "closes its input")
	err := context.DeadlineExceeded
	for range 50 {
		if !errors.Is(err, context.DeadlineExceeded) {
			break
		}
		err = callFor(t, client, 200*time.Millisecond, `{}`)
	}
	wantText(t, err, []string{"closed its standard input before it answered tools/call"})
}

// Close ends a server that does not want to end, and the calls that wait for it.
func TestClose(t *testing.T) {
	t.Parallel()
	client := start(t, "never reads")
	failed := make(chan error)
	go func() {
		_, err := client.Call(t.Context(), "t", json.RawMessage(`{}`))
		failed <- err
	}()
	now, cancel := context.WithCancel(t.Context())
	cancel()
	client.Close(now)
	client.Close(now) // twice does no harm
	if err := <-failed; err == nil {
		t.Error("the call has no error")
	}
}

func wantText(t *testing.T, err error, want []string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error lacks %q:\n%v", text, err)
		}
	}
}
