// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
	"github.com/toolvet/toolvet/upstream"
)

// A fake is a caller whose calls of "files:missing" are a no-go.
type fake struct{}

func (fake) Validate(_ context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (toolvet.Validation, error) {
	v := toolvet.Verdict{Go: true}
	switch tool {
	case "files:missing":
		v = toolvet.Verdict{Findings: []check.Finding{{Check: "path-state", Stage: check.Semantic, Level: check.RuntimeLevel, Pointer: "/path", Message: "does not exist", Suggestion: "make it"}}}
	case "down:tool":
		v.Go = false
		return protocol.NewResult(tool, v).Validation, errors.New("the server is not available")
	}
	return protocol.NewResult(tool, v).Validation, nil
}

func (fake) Call(context.Context, string, json.RawMessage, ...upstream.CallOption) (*upstream.Outcome, error) {
	return &upstream.Outcome{Raw: json.RawMessage(`{"content":[]}`), Ran: true, Judged: toolvet.Verdict{Go: true}, Reviewed: toolvet.Verdict{Go: true}}, nil
}

func (fake) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return call.NewCatalog(nil), nil
}

// connect makes a client of a server with a store of its own.
func connect(t *testing.T) (*mcp.ClientSession, *Server) {
	t.Helper()
	server := newServer(t, false)
	return connectAs(t, server, "ann"), server
}

func newServer(t *testing.T, apart bool) *Server {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "schedule.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s, err := schedule.New(schedule.Config{Store: store, Caller: fake{}})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Scheduler: s, Gate: gate, Apart: func() bool { return apart }})
}

// gate makes a gate without a policy.
func gate(more ...toolvet.Option) (*toolvet.Gate, error) {
	return toolvet.New(append(more, toolvet.WithChecks(suite.Default()...))...)
}

// connectAs makes a client of a subject.
func connectAs(t *testing.T, server *Server, subject string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	var serving sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	serving.Go(func() {
		if err := server.Serve(ctx, call.Session{Subject: subject}, in, out); err != nil {
			t.Error(err)
		}
		in.Close() // so that the client does not wait for a server that could not be made
		out.Close()
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); cancel(); in.Close(); serving.Wait() })
	return session
}

func use(t *testing.T, client *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return text, r.IsError
}

func TestAnnounces(t *testing.T) {
	t.Parallel()
	client, _ := connect(t)
	if client.InitializeResult().Capabilities.Experimental[protocol.Experimental] == nil {
		t.Error("the capability toolValidation is not announced")
	}
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	for _, want := range strings.Fields("validate create list get update delete pause resume trigger executions retrieve") {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+want+" ") {
			t.Errorf("there is no tool %s among %v", want, names)
		}
	}
	validate, err := json.Marshal(list.Tools[slices.Index(names, "validate")])
	if err != nil {
		t.Fatal(err)
	}
	definition, err := call.DecodeTool(validate, call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := protocol.NativeFault(definition); err != nil {
		t.Errorf("a proxy does not take %s for a validate tool: %v", validate, err)
	}
	for _, member := range append(protocol.JobMembers, "tool", "arguments", "levels") {
		if !strings.Contains(string(definition.InputSchema), `"`+member+`":{`) {
			t.Errorf("validate does not list %s: %s", member, definition.InputSchema)
		}
	}
}

// TestBadInput: each input is refused, in the dry run and live alike, with a reason.
func TestBadInput(t *testing.T) {
	t.Parallel()
	client, _ := connect(t)
	if text, failed := use(t, client, "create", `{"name":"job","tool":"files:read","schedule":"every hour"}`); failed {
		t.Fatal(text)
	}
	for _, tt := range []struct{ tool, arguments, want string }{
		{"create", `{}`, `"name"`},
		{"create", `{"name":"","tool":"files:read","schedule":"every hour"}`, "/name"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","fire_once":"yes"}`, "/fire_once"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","max_runs":"three"}`, "/max_runs"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","max_runs":-1}`, "/max_runs"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","max_runs":1.5}`, "/max_runs"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","end_date":"banana"}`, "/end_date"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","end_date":"2001-01-01T00:00:00Z"}`, "in the past"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","timezone":"Mars/Phobos"}`, "no time zone"},
		{"create", `{"name":"x","tool":"files:read","schedule":"0 0 30 2 *"}`, "never fires"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every day at 9"}`, "in the morning or in the evening"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","timeout":"1 fortnight"}`, "/timeout"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","skip_validation":true}`, "not allowed by the policy"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","surprise":1}`, "surprise"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","timeout":"5"}`, "/timeout"},
		{"update", `{"job":"job","changes":{"end_date":"2001-13-01T00:00:00Z"}}`, "/changes/end_date"},
		{"create", `{"name":"x","tool":"files:missing","schedule":"every hour"}`, "/arguments/path: does not exist"},
		{"create", `{"name":"x","tool":"down:tool","schedule":"every hour"}`, "not"},
		{"update", `{"job":"job","changes":{"schedule":"sometimes"}}`, "/changes/schedule"},
		{"update", `{"job":"job","changes":{"tool":"files:missing"}}`, "does not exist"},
		{"update", `{"job":"job","changes":{"owner":{"subject":"root"}}}`, `remove "owner"`},
		{"update", `{"job":"job","changes":{"max_runs":"three"}}`, "/changes/max_runs: expected integer"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","max_runs":1e300}`, "/max_runs"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","max_runs":3.0}`, "max_runs must be a whole number, written without fraction"},
		{"create", `{"name":" x","tool":"files:read","schedule":"every hour"}`, "/name"},
		{"create", `{"name":"x\u202e","tool":"files:read","schedule":"every hour"}`, "/name"},
		{"create", `{"name":"\u200b","tool":"files:read","schedule":"every hour"}`, "/name"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","tags":["a\u2066"]}`, "/tags"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour","description":"a\u0000b"}`, "/description"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour from 0000-01-01T00:00:00Z"}`, "before 1900"},
		{"create", `{"name":"x","tool":"files:read","schedule":"every hour from 9999-12-31T23:59:59Z"}`, "more than 100 years"},
		{"create", `{"name":"x","tool":"files:read","schedule":"9999-12-31T23:59:59Z"}`, "more than 100 years"},
		{"update", `{"job":"job","changes":{"Name":"x"}}`, `rename "Name" to "name"`},
		{"update", `{"job":"job","changes":{"retries":2.0}}`, "retries must be a whole number"},
		{"update", `{"job":"job","changes":{"tags":"a"}}`, `wrap "tags" in an array`},
		{"update", `{"job":"job","changes":{"fire_once":1}}`, "/changes/fire_once: expected boolean"},
		{"list", `{"limit":0}`, "/limit"},
		{"get", `{"job":7}`, "/job"},
		{"executions", `{"state":"odd"}`, "/state"},
		{"retrieve", `{}`, `"run"`},
	} {
		live, failed := use(t, client, tt.tool, tt.arguments)
		if !failed || !strings.Contains(live, tt.want) {
			t.Errorf("%s %s: %v %s, want an error with %q", tt.tool, tt.arguments, failed, live, tt.want)
		}
		dry, _ := use(t, client, "validate", `{"tool":"`+tt.tool+`","arguments":`+tt.arguments+`}`)
		var result struct{ Valid bool }
		if err := json.Unmarshal([]byte(dry), &result); err != nil || result.Valid || !strings.Contains(strings.ReplaceAll(dry, `\"`, `"`), tt.want) {
			t.Errorf("validate %s %s: %s, want %q", tt.tool, tt.arguments, dry, tt.want)
		}
	}
	if text, _ := use(t, client, "list", `{}`); strings.Count(text, `"id"`) != 1 {
		t.Errorf("refused calls left jobs: %s", text)
	}
}

// TestBadValidate: validate refuses arguments of the wrong form, and overlooks nothing.
func TestBadValidate(t *testing.T) {
	t.Parallel()
	client, _ := connect(t)
	for _, tt := range []struct{ arguments, want string }{
		{`{"tool":"files:read","arguments":{},"schedule":7}`, "/schedule"},
		{`{"tool":"files:read","arguments":{},"schedule":""}`, "/schedule"},
		{`{"tool":"files:read","arguments":{},"schedule":"every hour","timezome":"Asia/Tokyo"}`, `rename "timezome" to "timezone"`},
		{`{"tool":"files:read","arguments":{},"schedule":"every hour","timezone":null}`, "/timezone"},
		{`{"tool":"files:read","arguments":{},"schedule":"every hour","timezone":"Mars/Phobos"}`, "no time zone"},
		{`{"tool":"files:read","arguments":[],"schedule":"every hour"}`, "/arguments"},
		{`{"tool":"files:read","arguments":{},"levels":["syntax"]}`, "levels"},
		{`{"tool":"` + strings.Repeat("x", 400) + `:y","arguments":{}}`, "/tool"},
		{`{"tool":7,"arguments":{}}`, "/tool"},
		{`{"tool":"create"}`, "/name: required property is missing"},
		{`{"tool":"create","arguments":[]}`, `"arguments" must be an object`},
		{`{"tool":"create","arguments":{},"surprise":1}`, "surprise"},
		{`{"tool":"create","arguments":{},"levels":["odd"]}`, "/levels"},
		{`{"tool":"nope","arguments":{}}`, "no tool of this name"},
		{`{}`, `"tool"`},
	} {
		text, failed := use(t, client, "validate", tt.arguments)
		var result struct{ Valid bool }
		err := json.Unmarshal([]byte(text), &result)
		if !failed && (err != nil || result.Valid) || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), tt.want) {
			t.Errorf("%.100s: valid is %v: %.500s, want %q", tt.arguments, result.Valid, text, tt.want)
		}
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	client, _ := connect(t)
	for _, step := range []struct{ tool, arguments, want string }{
		{"validate", `{"tool":"create","arguments":{"name":"job","tool":"files:read","schedule":"every hour"}}`, `"valid":true`},
		{"validate", `{"tool":"files:read","arguments":{},"schedule":"every weekday at 9am"}`, `"understood":"at 09:00, every Monday to Friday"`},
		{"validate", `{"tool":"files:missing","arguments":{}}`, `"valid":false`},
		{"create", `{"name":"job","tool":"files:read","schedule":"every day at 9am","timezone":"Asia/Tokyo","timeout":"30s","tags":["a"]}`, `09:00:00+09:00`},
		{"get", `{"job":"job"}`, `"subject":"ann"`},
		{"update", `{"job":"job","changes":{"description":"nightly"}}`, `"timeout":"30s"`},
		{"list", `{"search":"NIGHT"}`, `"name":"job"`},
		{"list", `{"tag":"b"}`, `{"jobs":[]}`},
		{"pause", `{"job":"job"}`, `"state":"paused"`},
		{"resume", `{"job":"job"}`, `"state":"active"`},
		{"trigger", `{"job":"job"}`, `"kind":"trigger"`},
		{"executions", `{"job":"job","limit":1}`, `"next":"`},
		{"delete", `{"job":"job"}`, `"deleted":"job"`},
	} {
		if text, failed := use(t, client, step.tool, step.arguments); failed || !strings.Contains(text, step.want) {
			t.Errorf("%s %s: %s, want %s", step.tool, step.arguments, text, step.want)
		}
	}
	if text, _ := use(t, client, "validate", `{"tool":"files:read","arguments":{}}`); !strings.Contains(text, `"valid":true`) || strings.Contains(text, "understood") || strings.Contains(text, "next") {
		t.Errorf("a dry run without a schedule: %s", text)
	}
	if text, _ := use(t, client, "validate", `{"tool":"files:read","arguments":{},"timezone":"Asia/Tokyo"}`); !strings.Contains(text, "/schedule") {
		t.Errorf("a dry run with a zone alone: %s", text)
	}
	for _, tool := range []string{"get", "pause", "delete", "trigger", "update"} {
		arguments := `{"job":"job"}`
		if tool == "update" {
			arguments = `{"job":"job","changes":{"tags":[]}}`
		}
		if text, failed := use(t, client, tool, arguments); !failed || !strings.Contains(text, "no such job") {
			t.Errorf("%s of a job that is gone: %s", tool, text)
		}
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	client, _ := connect(t)
	for _, name := range []string{"job", "50% of the jobs/zwölf?"} {
		use(t, client, "create", fmt.Sprintf(`{"name":%q,"tool":"files:read","schedule":"every hour"}`, name))
		r, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "schedule://jobs/" + url.PathEscape(name)})
		if err != nil || !strings.Contains(r.Contents[0].Text, fmt.Sprintf(`"name":%q`, name)) {
			t.Errorf("the job %s reads %v, %v", name, r, err)
		}
	}
	if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "schedule://runs/none"}); err == nil {
		t.Error("a run that is not there is read")
	}
}
