// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/validate"
)

func says(text string) func(context.Context, *check.Pass) error {
	return func(_ context.Context, pass *check.Pass) error {
		if pass.Call.Validation {
			return nil // it is said of the call that is described
		}
		pass.Reportf("", "%s", text)
		return nil
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	gate := newGate(t, "rules: [{name: no, effect: deny, tools: 's:read', when: 'session.subject == \"bob\"', message: not you}]",
		custom("meaning", check.SemanticLevel, says("means nothing")), custom("world", check.RuntimeLevel, says("is not there")),
		custom("abuse", check.SecurityLevel, says("is bad")))
	for _, tt := range []struct {
		levels  string // "" for no choice
		errors  []string
		skipped []string
		warning string
	}{
		{"", []string{"means nothing", "is not there", "is bad"}, nil, ""},
		{`"syntax","semantic","runtime","security"`, []string{"means nothing", "is not there", "is bad"}, nil, ""},
		{`"runtime"`, []string{"is not there"}, []string{"abuse", "meaning"}, "asks for runtime only: \"valid\" does not speak for checks of the levels semantic, security, which"},
		{`"security","semantic"`, []string{"means nothing", "is bad"}, []string{"world"}, "does not speak for checks of the levels runtime,"},
		{`"syntax"`, nil, []string{"abuse", "meaning", "world"}, "does not speak for checks of the levels semantic, runtime, security,"},
	} {
		d := newDoor(t, validate.Config{}, gate)
		more := ""
		if tt.levels != "" {
			more = `,"levels":[` + tt.levels + `]`
		}
		r := d.validate(`{"path":"a"}`, more)
		if diff := cmp.Diff(tt.errors, r.Errors, cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%s: errors (-want +got):\n%s", tt.levels, diff)
		}
		var skipped []string
		for _, s := range r.Skipped {
			if s.Check == "redaction-marker" || s.Check == "nul" {
				continue // of the default suite
			}
			if s.Why != "not asked for: the request names the levels to look at" {
				t.Errorf("%s: skipped %+v", tt.levels, s)
			}
			skipped = append(skipped, s.Check)
		}
		slices.Sort(skipped)
		if strings.Join(skipped, " ") != strings.Join(tt.skipped, " ") {
			t.Errorf("%s: skipped %q, want %q", tt.levels, skipped, tt.skipped)
		}
		if got := strings.Join(r.Warnings, "\n"); !strings.Contains(got, tt.warning) || tt.warning == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", tt.levels, got, tt.warning)
		}
		// Whatever is asked for, the shape and the rules of access are looked at.
		if r := d.validate(`{"path":7}`, more); r.Valid || !strings.HasPrefix(r.Errors[0], "/path: ") {
			t.Errorf("%s: a path of the wrong type: %+v", tt.levels, r)
		}
		d.request.Call.Session.Subject = "bob"
		if r := d.validate(`{"path":"a"}`, more); !strings.Contains(strings.Join(r.Errors, "\n"), "not you") {
			t.Errorf("%s: a rule of access is left out: %+v", tt.levels, r)
		}
	}
}

func TestUnknownLevelIsAnError(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{}, newGate(t, ""))
	for _, levels := range []string{`["deep"]`, `[]`, `"syntax"`, `[null]`, `["syntax","syntax"]`, `["rehearsal"]`, `null`} {
		text := d.refused("validate", `{"tool":"read","arguments":{"path":"a"},"levels":`+levels+`}`)
		if !strings.Contains(text, "/levels") {
			t.Errorf("%s: got %q", levels, text)
		}
	}
	text := d.refused("validate", `{"tool":"read","arguments":{"path":"a"},"levels":["deep"]}`)
	if !strings.Contains(text, `"syntax", "semantic", "runtime"`) {
		t.Errorf("the text does not name the levels that there are: %s", text)
	}
}

// A server's own validation counts as a look at what arguments mean.
func TestLevelsAndNative(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{}, newGate(t, ""))
	asked := ""
	d.request.Native = func(_ context.Context, _ *call.Call, arguments json.RawMessage) (json.RawMessage, error) {
		asked = string(arguments)
		return json.RawMessage(`{"structuredContent":{"valid":false,"errors":["no such file"],"warnings":[],"suggestions":[]},"content":[]}`), nil
	}
	if r := d.validate(`{"path":"a"}`, `,"levels":["semantic"]`); r.Valid || r.Method != "toolvet+native" || asked != `{"tool":"read","arguments":{"path":"a"}}` {
		t.Errorf("asked %s, got %+v", asked, r)
	}
	asked = ""
	r := d.validate(`{"path":"a"}`, `,"levels":["runtime"]`)
	if asked != "" || !r.Valid || r.Method != "toolvet" || len(r.Warnings) == 0 || r.Skipped[len(r.Skipped)-1].Check != "native" {
		t.Errorf("asked %s, got %+v", asked, r)
	}
}
