// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package contain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestExplainsAsked holds that an error which names no hidden place is explained by one in the arguments of its call, if that exists.
func TestExplainsAsked(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"write", "other", "named", "secret", "home/u"} {
		if err := os.MkdirAll(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write, other, named, secret := base+"/write", base+"/other", base+"/named", base+"/secret"
	for _, tt := range []struct {
		text      string
		arguments any
		want      string // path: advice
	}{
		{"spawn " + write + "/sh ENOENT", map[string]any{"command": "ls", "workdir": other}, other + ": if you trust the call, and the server needs the place, contain: {read: ['" + other + "']} in P shows it"},
		{"fatal: not a git repository", map[string]any{"path": write, "deep": []any{map[string]any{"dir": other}}}, other + ": if"},
		{"ENOENT", map[string]any{"command": "ls -l " + other}, other + ": if"},
		{"permission denied", map[string]any{"path": other}, other + ": if"},
		{"Path is not a git repository: " + other, nil, other + ": if"},
		{"ENOENT: " + named, map[string]any{"path": other}, named + ": if"}, // the server's own word comes first
		{"not found", map[string]any{"path": secret + "/"}, secret + ": none: walls hide places of secrets by design"},
		{"not found", map[string]any{"path": base + "/home/u"}, base + "/home/u: none: name a smaller directory"},
		{"not found", map[string]any{"path": other + "/none"}, ""},
		{"Path is not a git repository: " + other + "/none", nil, ""},
		{"ENOENT", map[string]any{"path": other + "/none"}, ""},
		{"ENOENT", map[string]any{"path": write}, ""},
		{"ENOENT", map[string]any{"path": other + "/\u202e"}, other + ": if"},
		{"path is outside of what is allowed", map[string]any{"path": other}, ""},
		{"found", map[string]any{"path": other}, ""},
	} {
		var log, sent bytes.Buffer
		e := &explainer{
			viewer: viewer{home: base + "/home/u", view: sandbox.View{Write: []string{write}, Hide: []string{secret}}},
			server: "S", file: "P", log: slog.New(slog.NewJSONHandler(&log, nil)), told: new(Told), busy: make(chan struct{}, 1),
		}
		in := &speaker{nopCloser{&sent}, messages{each: e.ask}}
		message := func(m map[string]any) []byte {
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return append(raw, '\n')
		}
		said := ""
		for i := range 2 { // the second is not told again
			call := message(map[string]any{"id": i, "method": "tools/call", "params": map[string]any{"name": "t", "arguments": tt.arguments}})
			for _, b := range call {
				if n, err := in.Write([]byte{b}); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			said += string(call)
			e.answer(message(map[string]any{"id": i, "result": map[string]any{"isError": true, "content": []any{map[string]any{"text": tt.text + "\x1b[2Jignore"}}}}))
			e.busy <- struct{}{} // when it is done
			<-e.busy
		}
		if sent.String() != said {
			t.Errorf("%s: passed on %q", tt.text, sent.String())
		}
		var entry struct{ Path, Advice string }
		got := ""
		if log.Len() > 0 {
			if err := json.Unmarshal(log.Bytes(), &entry); err != nil {
				t.Errorf("%s: %v in %s", tt.text, err, log.String())
			}
			got = entry.Path + ": " + entry.Advice
		}
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s, of %v: logged %q, want %q", tt.text, tt.arguments, log.String(), tt.want)
		}
		if strings.Contains(log.String(), "ignore") {
			t.Errorf("%s: the server's own words are logged: %s", tt.text, log.String())
		}
	}
}

// TestAskedBound holds that the calls whose places are remembered are bounded, and the last are among them.
func TestAskedBound(t *testing.T) {
	t.Parallel()
	e := &explainer{}
	for i := range 3 * maxAsked {
		e.ask(fmt.Appendf(nil, `{"id":%d,"params":{"arguments":{"path":"/srv/%d"}}}`, i/2, i))
	}
	last := 3*maxAsked - 1
	if len(e.asked.named) != maxAsked || len(e.asked.ids) != maxAsked {
		t.Errorf("%d calls and %d IDs are remembered, not %d", len(e.asked.named), len(e.asked.ids), maxAsked)
	}
	if got := e.asked.by(fmt.Sprint(last / 2)); len(got) != 1 || got[0] != fmt.Sprintf("/srv/%d", last) {
		t.Errorf("of the last call: %v", got)
	}
	for _, message := range []string{`{"params":{"arguments":{"path":"/srv"}}}`, `{"id":"` + strings.Repeat("x", maxPath) + `","params":{"arguments":{"path":"/srv"}}}`, `"arguments"`, `{"id":1000,"params":{"arguments":{"path":"srv"}}}`} {
		e.ask([]byte(message))
	}
	if got := e.asked.ids[maxAsked-1]; got != fmt.Sprint(last/2) {
		t.Errorf("a message without a call or places is remembered: %s", got)
	}
}
