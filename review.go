// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
)

// A Reviewed is the outcome of a review by the output layer. The zero Reviewed shows nothing.
type Reviewed struct {
	Verdict
	// Raw is the text that the client may get: the server's own unless a check changed it.
	// If Go is false, Raw is nil, and the result must be withheld.
	Raw json.RawMessage
	// Sent is set if definitions were left out of a list, or of a handshake: what the server sent of the rest.
	Sent json.RawMessage
	// Notes are sentences to show the model beside the result.
	Notes []string
}

// A review is the part of a judgement that concerns a result.
type review struct {
	result *result.Result
	edits  []result.Edit
	hidden []result.Edit // findings must not name the properties at these places
	notes  []string
	unsure bool // a check broke or was late, so hidden may be incomplete
}

// take collects the edits and notes of a check. An observing check changes nothing.
func (v *review) take(o outcome, observes bool) {
	v.hidden = append(append(v.hidden, o.hidden...), o.edits...)
	v.unsure = v.unsure || !o.done || o.err != nil
	if !observes {
		v.edits = append(v.edits, o.edits...)
		v.notes = append(v.notes, o.notes...)
	}
}

// Review runs the checks of the output layer over a server's answer, and makes their changes.
// C is the call behind the answer; unless r is a tool's result, c names only the server.
// Review fails closed: it shows nothing that a check could not look at. Of a list, or of a handshake, it leaves out what
// must not be shown, and shows the rest if another review passes it.
func (g *Gate) Review(ctx context.Context, c *call.Call, r *result.Result) Reviewed {
	v := g.review(ctx, c, r)
	if v.Go || r == nil || !r.Defines() {
		return v
	}
	var places []string
	for _, f := range v.Errors() {
		places = append(places, f.Pointer)
	}
	rest, ok := r.Without(places)
	if !ok {
		return v
	}
	read, err := result.Read(r.Method, rest)
	if err != nil {
		return v
	}
	left := g.review(ctx, c, read)
	if !left.Go {
		return v
	}
	for _, f := range v.Errors() {
		f.Severity, f.Message = check.Warning, f.Message+"; this definition was left out"
		left.Findings = append(left.Findings, f)
	}
	left.Sent = rest
	return left
}

func (g *Gate) review(ctx context.Context, c *call.Call, r *result.Result) Reviewed {
	if c == nil || r == nil {
		return Reviewed{}
	}
	if g.void() {
		return Reviewed{Verdict: Verdict{Findings: []check.Finding{voidFinding()}}}
	}
	if len(r.Raw) > maxBounded || g.leavesOutput { // a late check may still read it when the caller reuses its buffer
		own := *r
		own.Raw = bytes.Clone(r.Raw)
		r = &own
	}
	bound, err := g.bind(c, true)
	if err != nil {
		g.logger.Error("applying the policy broke", append([]any{"server", c.Server, "tool", c.Name}, logged(err)...)...)
		return Reviewed{Verdict: Verdict{Findings: []check.Finding{{Check: "policy", Stage: check.Output, Level: check.SemanticLevel,
			Message: "what the policy demands of the result could not be worked out; the reason is in toolvet's log"}}}}
	}
	var reviewed Reviewed
	judged := judgement{call: c, at: PointProxy, bound: bound, places: bound.In(c.Arguments, policy.Live), evaluate: g.outputEvaluator(c, r), review: &review{result: r}}
	for _, s := range g.stages {
		if s.name == check.Output {
			g.runStage(ctx, s, judged, &reviewed.Verdict)
		}
	}
	judged.review.clean(reviewed.Findings)
	raw, err := r.Apply(judged.review.edits)
	if err != nil {
		g.logger.Error("changing a result broke", "server", c.Server, "tool", c.Name, "err", err)
		reviewed.Findings = append(reviewed.Findings, check.Finding{Check: "policy", Stage: check.Output, Level: check.SecurityLevel,
			Message: "the result could not be changed as the checks want it; the reason is in toolvet's log"})
	}
	if refused, _ := reviewed.refused(); !refused { // nobody can be asked about a result
		reviewed.Go, reviewed.Raw, reviewed.Notes = true, raw, judged.review.notes
	}
	return reviewed
}

// clean strips the names of hidden or removed properties from the places of findings, because
// such a name can be a secret. If a check broke or was late, any name may be one.
func (v *review) clean(findings []check.Finding) {
	names, all := v.result.Names(v.hidden)
	for i := range findings {
		f := &findings[i]
		if (!all || v.unsure) && f.Stage == check.Output {
			f.Pointer = ""
		}
		for _, name := range names {
			if at := strings.Index(f.Pointer, name); at >= 0 && f.Stage == check.Output {
				f.Pointer = f.Pointer[:at]
			}
		}
	}
}

func (g innerGate) Reviews() bool {
	if g.void() {
		return true
	}
	for _, s := range g.stages {
		if s.name == check.Output {
			return true
		}
	}
	return false
}

func (g innerGate) Repeats() bool { return !g.leavesOutput }
