// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/command"
	"github.com/toolvet/toolvet/cmd/internal/kit"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/upstream"
)

// TestMain makes the test a toolvet when it is called like one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		command.Main(context.Background())
	}
	os.Exit(m.Run())
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestProxy holds that the proxy on stdio passes every scenario for servers and proxies.
func TestProxy(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	t.Parallel()
	report := filepath.Join(t.TempDir(), "junit.xml")
	cmd := exec.CommandContext(t.Context(), self(t), "conformance", "--proxy", "--timeout", "1m", "--junit", report, "--", self(t), "proxy", "--")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the proxy does not conform: %v", err)
	}
	text, err := os.ReadFile(report)
	if err != nil || strings.Count(string(text), "<testsuite ") != len(kit.Revisions) {
		t.Errorf("the report has not a suite for each revision: %v", err)
	}
}

// TestHTTP holds that the proxy over HTTP conforms.
func TestHTTP(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	url := listening(t, self(t), "proxy", "--listen", "127.0.0.1:0", "--", self(t), "conformance", "serve")
	conforms(t, &kit.Run{Dialer: upstream.HTTP{URL: url + "/mcp"}, Remote: true})
}

// TestGateway holds that the gateway conforms, over HTTP and on stdio.
func TestGateway(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "toolvet.yaml")
	text := "version: 1\nservers:\n  peer:\n    command: [" + strconv.Quote(self(t)) + ", conformance, serve]\n"
	if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		url := listening(t, self(t), "serve", "--policy", policy, "--listen", "127.0.0.1:0")
		conforms(t, &kit.Run{Dialer: upstream.HTTP{URL: url + "/mcp"}, Remote: true})
	})
	t.Run("one server", func(t *testing.T) {
		t.Parallel()
		url := listening(t, self(t), "serve", "--policy", policy, "--listen", "127.0.0.1:0")
		conforms(t, &kit.Run{Dialer: upstream.HTTP{URL: url + "/mcp/peer"}, Remote: true})
	})
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		conforms(t, &kit.Run{Dialer: upstream.Command{Args: []string{self(t), "serve", "--policy", policy, "--stdio"}}})
	})
}

// TestMiddleware holds that the middleware for servers in Go conforms.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	conforms(t, &kit.Run{Dialer: middleware{}, SDK: true})
	run := &kit.Run{Dialer: middleware{}, Only: []string{"key-given-twice", "key-given-twice-in-a-dry-run",
		"dry-run-with-a-member-twice", "batch-key-twice-in-an-entry"}} // the SDK hands on the bytes
	results, err := run.Play(t.Context())
	if count := kit.Counts(results); err != nil || count[kit.Failed] > 0 || count[kit.Passed] < 4 {
		t.Errorf("%v, %v", count, err)
	}
}

// TestPython holds that the example in Python conforms, in every revision.
func TestPython(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	python := need.Python.Program(t, "python3")
	conforms(t, &kit.Run{Dialer: upstream.Command{Args: []string{python, "../../../protocol/python/server.py"}}, Revisions: kit.Revisions})
}

// TestFromText holds that the server that was written from the protocol's text conforms, in every revision.
func TestFromText(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	node := need.Node.Program(t, "node")
	conforms(t, &kit.Run{Dialer: upstream.Command{Args: []string{node, "testdata/fromtext.mjs"}}, Revisions: kit.Revisions})
}

// TestGoTemplate holds that the template in Go conforms, as far as a server without the fixture can be tested.
func TestGoTemplate(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	t.Parallel()
	program := built(t, "./protocol/templates/go")
	conforms(t, &kit.Run{Dialer: upstream.Command{Args: []string{program}}, SDK: true, Revisions: kit.Revisions})
}

// TestMCPGo holds that the middleware for mcp-go conforms in every revision, over stdio and HTTP. Its hook sees the client's
// own text, so it also plays scenarios about messages that other SDKs refuse by themselves. Left out
// are "two-readers", since mcp-go answers to a rounded id, and "params-with-a-key-twice", since it has one code for what its hook refuses.
func TestMCPGo(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	t.Parallel()
	program := built(t, "./mcpgo/internal/fixture")
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		dialer := upstream.Command{Args: []string{program}}
		conforms(t, &kit.Run{Dialer: dialer, SDK: true, Revisions: kit.Revisions})
		read := []string{"call-without-a-name", "no-json", "no-request", "key-given-twice", "key-given-twice-in-a-dry-run", "deep-arguments", "huge-arguments",
			"dry-run-with-a-member-twice", "batch-key-twice-in-an-entry", "own-arguments-no-object", "arguments-that-are-no-json"}
		results, err := (&kit.Run{Dialer: dialer, Only: read, Revisions: kit.Revisions, Timeout: time.Minute}).Play(t.Context())
		if count := kit.Counts(results); err != nil || count[kit.Passed] != len(read)*len(kit.Revisions) {
			t.Errorf("%v, %v", count, err)
		}
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		url := listening(t, program, "http")
		conforms(t, &kit.Run{Dialer: upstream.HTTP{URL: url + "/mcp"}, Remote: true, Revisions: kit.Revisions})
	})
}

// built builds a program of the workspace.
func built(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// conforms plays the scenarios against a peer, and reports those that failed.
func conforms(t *testing.T, run *kit.Run) {
	t.Helper()
	run.Timeout = time.Minute
	run.Stderr = io.Discard
	results, err := run.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Status == kit.Failed {
			t.Errorf("%s %s: %s\n%s", r.Revision, r.Scenario.Name, r.Scenario.Text, r.Why)
		}
	}
	count := kit.Counts(results)
	if count[kit.Passed] < 80 {
		t.Errorf("only %d scenarios were played", count[kit.Passed])
	}
	t.Logf("%v", count)
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// listening starts a program, and returns the address that it prints.
func listening(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has ended it
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return url
		}
	}
	t.Fatalf("%s %v printed no address", program, args)
	return ""
}

// middleware is the Dialer of a server by the official SDK, with the fixture and toolvet's middleware.
type middleware struct{}

func (middleware) Dial(context.Context, io.Writer) (upstream.Transport, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1.0"}, nil)
	gate, err := toolvet.New(toolvet.WithChecks(suite.Default()...))
	if err != nil {
		return nil, err
	}
	if err := mcpgate.Install(server, gate); err != nil {
		return nil, err
	}
	addFixture(server)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &pipes{in: toServer, out: fromServer, done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(p.done)
		_ = server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out}) // it ends with its input
		_ = out.Close()
	}()
	return p, nil
}

type pipes struct {
	in     io.WriteCloser
	out    io.ReadCloser
	done   chan struct{}
	cancel func()
}

func (p *pipes) Stdin() io.WriteCloser { return p.in }
func (p *pipes) Stdout() io.ReadCloser { return p.out }
func (p *pipes) Done() <-chan struct{} { return p.done }
func (p *pipes) Stop(ctx context.Context) error {
	p.cancel()
	_ = p.out.Close()
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	return nil
}

func addFixture(server *mcp.Server) {
	var runs atomic.Int64
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	server.AddTool(&mcp.Tool{Name: "conformance_write", Description: "Writes a report.", InputSchema: map[string]any{
		"type": "object",
		"properties": map[string]any{
			"path":    map[string]any{"type": "string", "minLength": 1},
			"mode":    map[string]any{"type": "string", "enum": []any{"full", "incremental"}},
			"retries": map[string]any{"type": "integer", "minimum": 0, "maximum": 9},
		},
		"required": []any{"path", "mode"}, "additionalProperties": false,
	}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		runs.Add(1)
		return text("written"), nil
	})
	server.AddTool(&mcp.Tool{Name: "conformance_count", Description: "Tells how many reports were written.",
		InputSchema: map[string]any{"type": "object", "additionalProperties": false}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text(strconv.FormatInt(runs.Load(), 10)), nil
		})
}
