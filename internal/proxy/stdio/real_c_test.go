// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/test/cprogram"
)

// TestServerInC holds that an honest server in C, to which "name\u0000" is "name", runs the calls that
// were judged and no others.
func TestServerInC(t *testing.T) {
	t.Parallel()
	server := cprogram.Build(t, cprogram.CJSONServer)
	ran := filepath.Join(t.TempDir(), "ran")
	messages := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"/etc/passwd"}}}`,
		`{"jsonrpc":"2.0","id":3,"method\u0000":"tools/call","method":"ping","params":{"name":"shell","arguments":{"path":"A"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name\u0000":"shell","name":"safe","arguments":{"path":"B"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments\u0000":{"path":"/etc/passwd"},"name":"read","arguments":{"path":"/srv/data/C"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"read","arguments":{"path\u0000":"/etc/shadow","path":"/srv/data/D"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"path\u0000":"/etc/gshadow"}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call\u0000","params":{"name":"shell","arguments":{"path":"E"}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"shell\u0000","arguments":{"path":"F"}}}`,
		`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"safe","arguments":{"path":"G\u0000H"}}}`,
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"safe","arguments":{"path":"judged"}}}`,
	}
	var out strings.Builder
	_, err := Run(t.Context(), Config{
		Config:  relay.Config{Gate: gateBy(t, "servers: {c: {roots: [/srv/data], tools: {read: {arguments: {path: {path: {}}}}}}}\n"), Server: "c"},
		Command: []string{server}, Env: append(os.Environ(), "RAN="+ran),
		Stdin: strings.NewReader(strings.Join(messages, "\n") + "\n"), Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(ran)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if want := "safe judged\n"; string(got) != want {
		t.Errorf("the server ran %q, want %q; the client got:\n%s", got, want, out.String())
	}
	if answers := strings.Count(out.String(), "\n"); answers != len(messages)-1 {
		t.Errorf("%d answers to %d requests:\n%s", answers, len(messages)-1, out.String())
	}
}
