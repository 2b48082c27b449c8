// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schema"
)

const modernVersion = "2026-07-28"

// A wire is a client that writes and reads JSON lines, so that a test sees the bytes.
type wire struct {
	t       testing.TB
	version string
	to      io.WriteCloser
	from    chan string
	id      int
}

// dial connects a wire to server.
func dial(t testing.TB, server *mcp.Server, version string) *wire {
	t.Helper()
	fromServer, serverOut := io.Pipe()
	serverIn, toServer := io.Pipe()
	session, err := server.Connect(t.Context(), &mcp.IOTransport{Reader: serverIn, Writer: serverOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, version: version, to: toServer, from: make(chan string, 1000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(w.from)
		lines := bufio.NewScanner(fromServer)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			w.from <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		_ = session.Wait()
		<-done
	})
	return w
}

// open connects a wire and shakes hands: nothing to do since 2026-07-28.
func open(t testing.TB, server *mcp.Server, version string) *wire {
	t.Helper()
	w := dial(t, server, version)
	if version < modernVersion {
		w.initialize()
	}
	return w
}

func (w *wire) initialize() answer {
	w.t.Helper()
	a := w.ask("initialize", fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"wire","version":"1"}}`, w.version))
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// handshake is the result of the version's own handshake.
func handshake(t testing.TB, server *mcp.Server, version string) answer {
	t.Helper()
	w := dial(t, server, version)
	if version < modernVersion {
		return w.initialize()
	}
	return w.ask("server/discover", "{}")
}

func (w *wire) write(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.to, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// read returns the next line that is a response, or "" if the server has hung up.
func (w *wire) read() string {
	w.t.Helper()
	for line := range w.from {
		var message struct{ Method string }
		if unmarshal(w.t, []byte(line), &message); message.Method == "" {
			return line
		}
	}
	return ""
}

// ask sends a request with params, an object to which a request of the wire's version
// adds its _meta, and returns the answer.
func (w *wire) ask(method, params string) answer {
	w.t.Helper()
	w.id++
	w.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.id, method, w.withMeta(params)))
	return parseAnswer(w.t, w.read())
}

func (w *wire) withMeta(params string) string {
	if w.version < modernVersion || strings.Contains(params, `"_meta"`) {
		return params
	}
	meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`, w.version)
	if params == "{}" {
		return "{" + meta + "}"
	}
	return strings.TrimSuffix(params, "}") + "," + meta + "}"
}

// call calls a tool with these very bytes as arguments, or with none for "".
func (w *wire) call(tool, arguments string) answer {
	w.t.Helper()
	params := fmt.Sprintf(`{"name":%q}`, tool)
	if arguments != "" {
		params = fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)
	}
	return w.ask("tools/call", params)
}

// validate calls the validate tool.
func (w *wire) validate(tool, arguments string) answer {
	w.t.Helper()
	return w.call("validate", fmt.Sprintf(`{"tool":%q,"arguments":%s}`, tool, arguments))
}

// list returns all pages of tools/list.
func (w *wire) list() [][]json.RawMessage {
	w.t.Helper()
	var pages [][]json.RawMessage
	for params := "{}"; ; {
		a := w.ask("tools/list", params)
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor *string           `json:"nextCursor"`
		}
		unmarshal(w.t, a.Result, &page)
		pages = append(pages, page.Tools)
		if page.NextCursor == nil {
			return pages
		}
		params = fmt.Sprintf(`{"cursor":%q}`, *page.NextCursor)
	}
}

// An answer is a response as it stands in its line.
type answer struct {
	line   string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func parseAnswer(t testing.TB, line string) answer {
	t.Helper()
	if line == "" {
		t.Fatal("the server hung up")
	}
	a := answer{line: line}
	unmarshal(t, []byte(line), &a)
	return a
}

// A toolResult is a CallToolResult with its parts as they are written.
type toolResult struct {
	ResultType string
	IsError    bool
	Content    []struct{ Type, Text string }
	Structured json.RawMessage            `json:"structuredContent"`
	Meta       map[string]json.RawMessage `json:"_meta"`
}

func (a answer) tool(t testing.TB) toolResult {
	t.Helper()
	if a.Error != nil {
		t.Fatalf("got the error %s, want a result", a.line)
	}
	var r toolResult
	unmarshal(t, a.Result, &r)
	return r
}

func unmarshal(t testing.TB, raw []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
}

// equalJSON compares two texts as JSON values.
func equalJSON(t testing.TB, got, want []byte) {
	t.Helper()
	var g, w any
	unmarshal(t, got, &g)
	unmarshal(t, want, &w)
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("JSON differs (-want +got):\n%s", diff)
	}
}

// conforms checks an object against one of the protocol's schemas.
func conforms(t testing.TB, grammar, object []byte) {
	t.Helper()
	compiled, err := schema.Compile(grammar, schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	value, err := call.DecodeArguments(object, call.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, object)
	}
	evaluation, err := compiled.Evaluate(value)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range evaluation.Violations {
		t.Errorf("%s breaks the schema: %s: %s", object, v.Pointer, v.Message)
	}
}

// eachVersion runs f once for each revision of MCP that the SDK speaks.
func eachVersion(t *testing.T, f func(t *testing.T, version string)) {
	versions := mcp.SupportedProtocolVersions()
	if len(versions) < 5 {
		t.Fatalf("the SDK speaks %v, want five revisions or more", versions)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			f(t, version)
		})
	}
}
