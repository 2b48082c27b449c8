// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/servers"

	"github.com/toolvet/toolvet/upstream"
)

// fakeEnv makes the test binary a server: its value names the entry of fakes.
const fakeEnv = "TOOLVET_UPSTREAM_FAKE"

func TestMain(m *testing.M) {
	if name := os.Getenv(fakeEnv); name != "" {
		fakes[name](&fake{in: bufio.NewReader(os.Stdin)})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command starts the fake server called name.
func command(t *testing.T, name string) upstream.Command {
	t.Helper()
	if fakes[name] == nil {
		t.Fatalf("no fake server %q", name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector's programs wait before they end.
	return upstream.Command{Args: []string{self}, Env: append(os.Environ(), fakeEnv+"="+name, "GORACE=atexit_sleep_ms=0")}
}

// start connects to the fake server called name.
func start(t *testing.T, name string) servers.Client {
	t.Helper()
	client, err := servers.Connect(t.Context(), command(t, name), servers.Options{})
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() { client.Close(t.Context()) })
	return client
}

// A fake is the server's side of a session, with every liberty.
type fake struct{ in *bufio.Reader }

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor    string                     `json:"cursor"`
		Name      string                     `json:"name"`
		Arguments json.RawMessage            `json:"arguments"`
		Meta      map[string]json.RawMessage `json:"_meta"`

		State         json.RawMessage `json:"requestState"`
		Notifications json.RawMessage `json:"notifications"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// next reads the client's next message; at the end of its input the fake ends.
func (f *fake) next() message {
	line, err := f.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintf(os.Stderr, "fake: %v\n", err)
		os.Exit(99)
	}
	return m
}

// expect reads messages up to the next request of a method.
func (f *fake) expect(method string) message {
	for {
		if m := f.next(); m.Method == method {
			return m
		}
	}
}

func (f *fake) line(format string, args ...any) {
	fmt.Fprintf(os.Stdout, format+"\n", args...)
}

func (f *fake) answer(m message, result string) {
	f.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (f *fake) refuse(m message, code int, text string) {
	message, _ := json.Marshal(text) // a string can be encoded
	f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, m.ID, code, message)
}

// initialize shakes hands; capabilities is a JSON object.
func (f *fake) initialize(version, capabilities string) {
	m := f.expect("initialize")
	f.answer(m, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"fake","version":"1"}}`, version, capabilities))
	f.expect("notifications/initialized")
}

// sleep reads until the client goes away, and answers nothing.
func (f *fake) sleep() { _, _ = io.Copy(io.Discard, f.in) }

// page is a tools/list result with the tools from first to last.
func page(first, last int, cursor string) string {
	var tools []string
	for i := first; i <= last; i++ {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i))
	}
	next := ""
	if cursor != "" {
		next = fmt.Sprintf(`,"nextCursor":%q`, cursor)
	}
	return fmt.Sprintf(`{"tools":[%s]%s}`, strings.Join(tools, ","), next)
}
