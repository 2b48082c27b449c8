// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/observe"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/telemetry"
)

// spans is an observer that remembers the ends of its spans.
type spans struct {
	telemetry.Observer // nil
	ended              []string
}

func (s *spans) Start(ctx context.Context, c telemetry.Call) (context.Context, telemetry.Span) {
	return ctx, span{s, observe.Silent(""), c.Tool}
}

type span struct {
	*spans
	observe.Silent
	tool string
}

func (s span) End(o telemetry.Outcome) {
	s.ended = append(s.ended, fmt.Sprintf("%s %s failed %v added %v %v", s.tool, o.Verdict, o.ToolError, o.Added, o.Codes))
}

// TestSpansEnd: each span ends once, whatever happens to the call, with toolvet's own time and not the server's.
func TestSpansEnd(t *testing.T) {
	t.Parallel()
	s := &spans{}
	r, err := record.Open(policy.Log{File: filepath.Join(t.TempDir(), "log.jsonl")}, record.Options{Observer: s})
	if err != nil {
		t.Fatal(err)
	}
	refused := toolvet.Verdict{Findings: []check.Finding{{Check: "path", Stage: check.Semantic}}}
	judge := func(name string, v toolvet.Verdict, at toolvet.Point) *toolvet.Event {
		e := &toolvet.Event{Call: &call.Call{Name: name, Raw: json.RawMessage("{}")}, Point: at, Verdict: v, Took: time.Millisecond}
		if err := r.Judged(t.Context(), e); (err != nil) != (name == "unrecorded") {
			t.Errorf("%s: %v", name, err)
		}
		return e
	}
	judge("refused", refused, toolvet.PointProxy)
	judge("dry", toolvet.Verdict{Go: true}, toolvet.PointValidate)
	for _, name := range []string{"returned", "lost"} {
		e := judge(name, toolvet.Verdict{Go: true}, toolvet.PointProxy)
		e.Took, e.Failed = time.Hour, name == "lost"
		if err := r.Returned(t.Context(), e); err != nil {
			t.Error(err)
		}
	}
	asking := toolvet.Verdict{Ask: true, Findings: []check.Finding{{Check: "rule", Stage: check.Policy, Severity: check.Ask}}}
	judge("unasked", asking, toolvet.PointProxy)
	consented := &toolvet.Event{Call: &call.Call{Name: "consented", Raw: json.RawMessage("{}"), Session: &call.Session{Asks: true}}, Point: toolvet.PointProxy, Verdict: asking}
	if err := errors.Join(r.Judged(t.Context(), consented), r.Returned(t.Context(), consented)); err != nil {
		t.Error(err)
	}
	r.Close(t.Context())
	judge("unrecorded", toolvet.Verdict{Go: true}, toolvet.PointProxy)
	want := []string{
		"refused no-go failed false added 1ms [SEMANTIC]",
		"dry go failed false added 1ms []",
		"returned go failed false added 1ms []",
		"lost go failed true added 1ms []",
		"unasked no-go failed false added 1ms [POLICY]",
		"consented ask failed false added 0s [POLICY]",
		"unrecorded no-go failed false added 1ms []",
	}
	if diff := cmp.Diff(want, s.ended); diff != "" {
		t.Errorf("spans ended (-want +got):\n%s", diff)
	}
}

// TestClientsTexts: names of tools and requests are recorded only if they are not a client's free text. The same text
// has the same digest.
func TestClientsTexts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	r, err := record.Open(policy.Log{File: file}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const token = "glpat-Xk29fLq0ZpWv7TbN3mRs"
	tool := &call.Tool{Name: "read", Raw: json.RawMessage("{}")}
	for _, e := range []toolvet.Event{
		{Call: &call.Call{Name: token}, Request: `"` + token + `"`},
		{Call: &call.Call{Name: token}, Request: `"` + token + `"`},
		{Call: &call.Call{Name: "read", Tool: tool}, Request: "7"},
		{Call: &call.Call{Name: "read", Tool: tool}, Request: `"req-12"`},
		{Call: &call.Call{Name: "read", Tool: tool}, Request: `"550e8400-e29b-41d4-a716-446655440000"`},
	} {
		if err := r.Judged(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
	r.Close(t.Context())
	data, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(data), token) {
		t.Fatalf("%v %s", err, data)
	}
	var got [][2]string
	for line := range strings.Lines(string(data)) {
		var record calllog.Record
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if record.Kind == calllog.KindCall {
			got = append(got, [2]string{record.Tool, record.Request})
		}
	}
	want := [][2]string{got[0], got[0], {"read", "7"}, {"read", `"req-12"`}, {"read", `"550e8400-e29b-41d4-a716-446655440000"`}}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got[0][0], "unknown (26 bytes, hmac-sha256:") || !strings.HasPrefix(got[0][1], "(28 bytes, hmac-sha256:") {
		t.Errorf("recorded (-want +got):\n%s%s", diff, got[0])
	}
}

// TestNames holds that no name that a caller or a server chose reaches the log if it may be a secret: not
// as a property, nor as a tool that is not listed, within a call or not.
func TestNames(t *testing.T) {
	t.Parallel()
	const token = "ghp_R7kQ2mZx9LpV4tYw8NcB3sHd6JfG1a2uEQqT"
	file := filepath.Join(t.TempDir(), "log.jsonl")
	r, err := record.Open(policy.Log{File: file}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(`{"name":"t","inputSchema":{"properties":{"path":{},"`+token+`":{}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	finding := func(pointer string) check.Finding {
		return check.Finding{Check: "secret", Stage: check.Output, Severity: check.Warning, Pointer: pointer}
	}
	e := &toolvet.Event{Call: &call.Call{Name: "t", Tool: tool}, Verdict: toolvet.Verdict{Go: true,
		Findings: []check.Finding{finding("/path"), finding("/" + token), finding("/pth/" + token)},
		Inner:    []*call.Call{{Name: "t", Tool: tool}, {Name: token}}}}
	if err := r.Judged(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	e.Verdict = toolvet.Verdict{Go: true, Findings: []check.Finding{finding("/content/0/text"), finding("/structuredContent/" + token)}}
	if err := r.Returned(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	r.Close(t.Context())
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"pointer":"/path"`, `"pointer":"/(40 bytes)"`, `"pointer":"/(3 bytes)/(40 bytes)"`, `"inner":["t","unknown (40 bytes, `,
		`"pointer":"/content/0/text"`, `"pointer":"/structuredContent/(40 bytes)"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing from %s", want, text)
		}
	}
	if strings.Contains(string(text), token) {
		t.Errorf("the log holds the token: %s", text)
	}
}
