// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/protocol"
)

// TestRefusal holds that the audit tells a policy's refusal and a missing answer by what toolvet writes for programs, not by their words, which
// a server may use as well.
func TestRefusal(t *testing.T) {
	t.Parallel()
	refused := protocol.NewResult("t", toolvet.Verdict{Findings: []check.Finding{{Check: "time", Pointer: "/a b", Message: "must be a time"}}})
	said := []byte(`{"content":[{"type":"text","text":"the server exited with code 1: the policy refuses it:"}],"isError":true,"_meta":{"other":"x"}}`)
	c := audit.Cell{Tool: "t"}
	for _, tt := range []struct {
		name            string
		r               reply
		findings, lines int
		ended           bool
	}{
		{"a refusal", reply{raw: refused.Withheld(false), isError: true}, 1, 2, false},
		{"no answer", reply{raw: protocol.Failure("t", "it is gone", true, false), isError: true}, 0, 2, true},
		{"an end", reply{gone: true, failed: "the server ended"}, 0, 1, true},
		{"a tool's words", reply{raw: said, isError: true}, 0, 1, false},
	} {
		a := &auditor{result: Result{}}
		a.refused(c, tt.r)
		got := a.result.Refused[c]
		if len(got.Findings) != tt.findings || len(got.Lines) != tt.lines || got.Ended != tt.ended {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}
