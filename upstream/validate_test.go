// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/upstream"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"files:read_text_file": {"files", "read_text_file"},
		"a:b:c":                {"a", "b:c"},
		"a:b:":                 {"a", "b:"},
		"":                     {},
		"read":                 {},
		":read":                {},
		"files:":               {},
	} {
		server, tool, err := upstream.ParseName(name)
		if got := [2]string{server, tool}; got != want || (err == nil) != (want != [2]string{}) {
			t.Errorf("ParseName(%q) = %q, %v", name, got, err)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"a:b", "a:b:c", ":", "", "é:ü"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		server, tool, err := upstream.ParseName(name)
		if err != nil {
			return
		}
		if server == "" || tool == "" || strings.Contains(server, ":") || server+":"+tool != name {
			t.Errorf("ParseName(%q) = %q, %q", name, server, tool)
		}
	})
}

func TestHasCapability(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(nil)
		m.announce = `{"tools":{"listChanged":true},"prompts":{},"logging":null,"a":{"b":{"c":true}},"a.b":{},"n":0,"one":1,"list":[],"text":"x",
			"experimental":{"toolValidation":{"supported":true,"method":"validate","levels":["syntax"]}},
			"extensions":{"io.github.toolvet/tool-validation":{"supported":true},"io.github":{"toolvet/tool-validation":{}}}}`
		m.announce = strings.ReplaceAll(m.announce, "\n", "")
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"files": m})
		for path, want := range map[string]bool{
			"tools":                                 true,
			"tools.listChanged":                     true,
			"tools.nothing":                         false,
			"tools.listChanged.deeper":              false,
			"prompts":                               true, // an empty object announces
			"resources":                             false,
			"logging":                               false,
			"experimental.toolValidation.supported": true,
			"experimental.toolValidation.levels":    true,
			"experimental.toolvalidation.supported": false, // keys match exactly
			"extensions.io.github.toolvet/tool-validation.supported": true, // the longest key
			"extensions.io.github":   true,
			"extensions.io.github.x": false,
			"a.b":                    true,
			"a.b.c":                  false, // "a.b" is the longest key, and has no "c"
			"n":                      false,
			"one":                    true,
			"list":                   false,
			"text":                   true,
			"":                       false,
		} {
			if got, err := s.HasCapability(t.Context(), "files", path); got != want || err != nil {
				t.Errorf("%q: got %t, %v, want %t", path, got, err, want)
			}
		}
		if _, err := s.HasCapability(t.Context(), "fles", "tools"); err == nil || !strings.Contains(err.Error(), `did you mean "files"?`) {
			t.Errorf("an unknown server: %v", err)
		}
	})
}

const dryRunTool = `{"name":"dry_run","inputSchema":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool","arguments"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}`

// validating is a server whose validate tool answers with a result.
func validating(result string) *memory {
	m := newMemory(map[string]func(*session, message){
		"tools/list": fixed(`{"tools":[{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}},` + dryRunTool + `]}`),
		"tools/call": func(s *session, m message) {
			if m.Params.Name != "dry_run" {
				panic("the tool is run")
			}
			if result != "" {
				s.answer(m, "%s", result)
			}
		},
	})
	m.announce = `{"tools":{},"experimental":{"toolValidation":{"supported":true,"method":"dry_run"}}}`
	return m
}

const (
	nativeGo   = `{"content":[],"structuredContent":{"valid":true,"errors":[],"warnings":["w"],"suggestions":[]}}`
	nativeNoGo = `{"content":[],"structuredContent":{"valid":false,"errors":["no room"],"warnings":[],"suggestions":[]}}`
)

// Who judges, and what becomes of it when some of them cannot.
func TestValidate(t *testing.T) {
	t.Parallel()
	unlisted := validating(nativeGo)
	unlisted.answers["tools/list"] = fixed(readTool)
	dying := validating("")
	dying.answers["tools/call"] = func(s *session, _ message) { s.die() }
	refusing := validating("")
	refusing.answers["tools/call"] = func(s *session, m message) {
		s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"busy"}}`, m.ID)
	}
	for name, tt := range map[string]struct {
		server     *memory
		ungated    bool
		arguments  string // default: good ones
		method     string
		valid      bool
		in         string // in errors, or in warnings of a go
		suggestion string
	}{
		"both agree":               {server: validating(nativeGo), method: "toolvet+native", valid: true, in: "w"},
		"the server refuses":       {server: validating(nativeNoGo), method: "toolvet+native", in: "no room"},
		"toolvet refuses":          {server: validating(nativeGo), arguments: `{"pth":"a"}`, method: "toolvet", in: "/pth", suggestion: `rename "pth" to "path"`},
		"both would refuse":        {server: validating(nativeNoGo), arguments: `{"pth":"a"}`, method: "toolvet", in: "/pth"},
		"no native":                {server: newMemory(nil), method: "toolvet", valid: true},
		"native is not listed":     {server: unlisted, method: "toolvet", valid: true},
		"too late":                 {server: validating(""), method: "toolvet", valid: true, in: "could not be used: the server did not answer tools/call in time"},
		"dies":                     {server: dying, method: "toolvet", valid: true, in: "could not be used: the server was killed"},
		"a JSON-RPC error":         {server: refusing, method: "toolvet", valid: true, in: "could not be used: the server refuses tools/call: busy"},
		"no JSON":                  {server: validating(`{"content":[{"type":"text","text":"looks fine to me"}]}`), method: "toolvet", valid: true, in: "could not be used"},
		"malformed":                {server: validating(`{"structuredContent":{"valid":"true"}}`), method: "toolvet", valid: true, in: "could not be used"},
		"valid beside an error":    {server: validating(`{"isError":true,"structuredContent":{"valid":true,"errors":[],"warnings":[],"suggestions":[]}}`), method: "toolvet", valid: true, in: "could not be used"},
		"malformed, and no go":     {server: validating(`{"structuredContent":{}}`), arguments: `{}`, method: "toolvet", in: "/path"},
		"no policy":                {server: validating(nativeGo), ungated: true, method: "native", valid: true, in: "w"},
		"no policy, refused":       {server: validating(nativeNoGo), ungated: true, method: "native", in: "no room"},
		"no policy, but a schema":  {server: validating(nativeGo), ungated: true, arguments: `{}`, method: "schema-only", in: "/path"},
		"no policy and no native":  {server: newMemory(nil), ungated: true, method: "schema-only", valid: true},
		"no policy, wrong":         {server: newMemory(nil), ungated: true, arguments: `{}`, method: "schema-only", in: "/path"},
		"no policy, native broken": {server: validating(`{}`), ungated: true, method: "schema-only", valid: true, in: "could not be used"},
		"not an object":            {server: newMemory(nil), arguments: `[]`, method: "toolvet", in: "must be an object"},
		"read in two ways":         {server: newMemory(nil), arguments: `{"path":"a","path":"b"}`, method: "toolvet", in: "given twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				cfg := upstream.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}
				if !tt.ungated {
					gate := newGate(t)
					cfg.Gate = func(string) *toolvet.Gate { return gate }
				}
				s := newSet(t, cfg, map[string]upstream.Dialer{"a": tt.server})
				arguments := goodArguments
				if tt.arguments != "" {
					arguments = json.RawMessage(tt.arguments)
				}
				r, err := s.Validate(t.Context(), "a:read", arguments)
				if err != nil {
					t.Fatal(err)
				}
				said := r.Errors
				if r.Valid {
					said = r.Warnings
				}
				if r.Method != tt.method || r.Valid != tt.valid || !strings.Contains(strings.Join(said, "\n"), tt.in) ||
					!strings.Contains(strings.Join(r.Suggestions, "\n"), tt.suggestion) {
					t.Errorf("got %+v", r)
				}
				if strings.Contains(tt.in, "could not be used") && (len(r.Skipped) != 1 || r.Skipped[0].Check != "native") {
					t.Errorf("what could not be asked is not told: %+v", r.Skipped)
				}
				synctest.Wait() // who watches the server logs, too
				if !strings.Contains(log.String(), "validated a call") || strings.Contains(tt.in, "could not be used") && !strings.Contains(log.String(), "fallback="+tt.method) {
					t.Errorf("the steps are not logged:\n%s", &log)
				}
			})
		})
	}
}

func newGate(t *testing.T, options ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	g, err := toolvet.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What does not exist is a no-go that says what may have been meant.
func TestUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dead := newMemory(nil)
		dead.refuse = func(int) error { return errNoProgram }
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"files": newMemory(nil), "dead": dead})
		for name, want := range map[string]string{
			"fles:read":  `there is no server of this name: did you mean "files"?`,
			"xyz:read":   `there is no server of this name: there are dead, files`,
			"files:raed": "did you mean the tool read?",
			"read":       "must be SERVER:TOOL",
		} {
			r, err := s.Validate(t.Context(), name, goodArguments)
			if text := fmt.Sprintf("%q %q", r.Errors, r.Suggestions); err != nil || r.Valid || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), want) {
				t.Errorf("Validate(%s) = %s, %v", name, text, err)
			}
			o, err := s.Call(t.Context(), name, goodArguments)
			if err != nil || o.Ran || o.Judged.Go || !strings.Contains(string(o.Raw), `"isError":true`) {
				t.Errorf("Call(%s) = %+v, %v", name, o, err)
			}
		}
		if r, err := s.Validate(t.Context(), "dead:read", goodArguments); err == nil || r.Valid || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "no such program") {
			t.Errorf("a server that is not available: %+v, %v", r, err)
		}
		if o, err := s.Call(t.Context(), "dead:read", goodArguments); err == nil || o.Ran || !strings.Contains(string(o.Raw), "no such program") {
			t.Errorf("a call of a server that is not available: %+v, %v", o, err)
		}
		if r, err := s.Validate(t.Context(), "files:odd:name", json.RawMessage(`{}`)); err != nil || !r.Valid {
			t.Errorf("a tool with a colon: %+v, %v", r, err)
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := s.Validate(done, "files:read", goodArguments); err == nil || r.Valid {
			t.Errorf("a context that is done: %+v, %v", r, err)
		}
	})
}

// A diary notes what it is told.
type diary struct {
	refuse bool
	events []string
}

func (d *diary) Judged(_ context.Context, e *toolvet.Event) error {
	d.events = append(d.events, fmt.Sprintf("judged %s %s %t", e.Request, e.Call.Name, e.Verdict.Go))
	if d.refuse {
		return errNoProgram
	}
	return nil
}

func (d *diary) Returned(_ context.Context, e *toolvet.Event) error {
	d.events = append(d.events, fmt.Sprintf("returned %s %t", e.Call.Name, e.Failed))
	return nil
}

func (d *diary) Listed(_ context.Context, server string, tools *call.Catalog) {
	d.events = append(d.events, fmt.Sprintf("listed %s %d", server, len(tools.Names())))
}

// A call is judged, made, reviewed and recorded.
func TestCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const secret = "ghp_" + "x7Jq2LmN9pRs4TvWy8ZaB3cDe5FgH1iKo6Mn"
		m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, m message) {
			switch string(m.Params.Arguments) {
			case `{"path":"secret"}`:
				s.answer(m, `{"content":[{"type":"text","text":"token = %s"}]}`, secret)
			case `{"path":"error"}`:
				s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"bad token %s"}}`, m.ID, secret)
			case `{"path":"input"}`:
				s.answer(m, `{"resultType":"input_required","requestState":"s"}`)
			default:
				s.answer(m, `{"content":[],"isError":true,"x":1.0e2}`)
			}
		}})
		d := &diary{}
		gate := newGate(t)
		s := newSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }, Observer: d}, map[string]upstream.Dialer{"a": m})
		do := func(arguments string) (*upstream.Outcome, error) {
			return s.Call(t.Context(), "a:read", json.RawMessage(arguments), upstream.WithRequestID("7"))
		}
		if o, err := do("{\n\"path\": \"x\"}"); err != nil || !o.Ran || !o.Reviewed.Go || string(o.Raw) != `{"content":[],"isError":true,"x":1.0e2}` {
			t.Errorf("a good call: %+v, %v", o, err)
		}
		if o, err := do(`{}`); err != nil || o.Ran || !hasAll(string(o.Raw), "was refused before it ran", "/path") {
			t.Errorf("a bad call: %+v, %v", o, err)
		}
		o, err := do(`{"path":"secret"}`)
		if err != nil || !o.Ran || strings.Contains(string(o.Raw), secret) {
			t.Errorf("a secret in the result: %s, %v", o.Raw, err)
		}
		if o.Reviewed.Go && !strings.Contains(string(o.Raw), protocol.VerdictKey) {
			t.Errorf("what was found is not told: %+v", o)
		}
		if o, err := do(`{"path":"error"}`); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("a secret in an error: %+v, %v", o, err)
		}
		if o, err := do(`{"path":"input"}`); err != nil || string(o.Raw) != `{"resultType":"input_required","requestState":"s"}` {
			t.Errorf("a call that wants input: %+v, %v", o, err)
		}
		want := "listed a 2, judged 7 read true, returned read true, judged 7 read false, judged 7 read true, returned read false, judged 7 read true, returned read true, judged 7 read true, returned read false"
		if got := strings.Join(d.events, ", "); got != want {
			t.Errorf("recorded:\n got %s\nwant %s", got, want)
		}
		before := m.count("tools/call")
		d.refuse = true
		if o, err := do(`{"path":"x"}`); err != nil || o.Ran || m.count("tools/call") != before {
			t.Errorf("a call that cannot be recorded: %+v, %v", o, err)
		}
	})
}

// TestHiddenIsNotAsked holds that a server's own validation tells nobody of a tool that is hidden
// from them.
func TestHiddenIsNotAsked(t *testing.T) {
	t.Parallel()
	gate, err := toolvet.New(toolvet.WithInside(engine.Parts{Visible: func(context.Context, *call.Call) bool { return false }}))
	if err != nil {
		t.Fatal(err)
	}
	server := validating(nativeNoGo)
	s := newSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }}, map[string]upstream.Dialer{"s": server})
	r, err := s.Validate(t.Context(), "s:read", goodArguments)
	if text := fmt.Sprintf("%+v", r); err != nil || r.Valid || strings.Contains(text, "no room") || server.count("tools/call") != 0 {
		t.Errorf("got %s, %v", text, err)
	}
}

// TestNativeHearsOfGoesAlone holds that a server's own validation hears of no call that the
// policy refuses, and that the call of its tool passes the gate.
func TestNativeHearsOfGoesAlone(t *testing.T) {
	t.Parallel()
	for denied, want := range map[string]string{"read": protocol.MethodToolvet, "dry_run": protocol.MethodToolvet, "none": protocol.MethodBoth} {
		gate := newGate(t, toolvet.WithMoreChecks(&check.Check{Name: "denied", Doc: "# denied\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel,
			Run: func(_ context.Context, pass *check.Pass) error {
				if pass.Call.Name == denied {
					pass.Reportf("", "not this one")
				}
				return nil
			}}))
		server := validating(nativeGo)
		s := newSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }}, map[string]upstream.Dialer{"s": server})
		r, err := s.Validate(t.Context(), "s:read", goodArguments)
		asked := server.count("tools/call")
		if err != nil || r.Method != want || r.Valid != (denied != "read") || (asked == 1) != (want == protocol.MethodBoth) {
			t.Errorf("%s is denied: asked %d times, got %+v, %v", denied, asked, r, err)
		}
	}
}
