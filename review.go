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
)

// A Reviewed is what the output layer makes of a result. The zero Reviewed shows nothing.
type Reviewed struct {
	Verdict
	// Raw is what the client may get. If nothing had to be changed it is the server's own
	// text, unless Go is false: then it is nil, and the result must be withheld.
	Raw json.RawMessage
	// Notes are sentences that the model should be told beside the result.
	Notes []string
}

// A review is the part of a judgement that is about a result.
type review struct {
	result *result.Result
	edits  []result.Edit
	hidden []result.Edit // of which findings do not name the properties
	notes  []string
	unsure bool // a check did not say all that is to be hidden
}

// take notes what a check asks for. One that only observes changes nothing.
func (v *review) take(o outcome, observes bool) {
	v.hidden = append(append(v.hidden, o.hidden...), o.edits...)
	v.unsure = v.unsure || !o.done || o.err != nil
	if !observes {
		v.edits = append(v.edits, o.edits...)
		v.notes = append(v.notes, o.notes...)
	}
}

// Review runs the checks of the output layer over what a server sends back, and makes their
// changes. C is the call that is answered; for anything else but a tool's result it names
// the server alone. Review fails closed: what could not be looked at is not shown.
func (g *Gate) Review(ctx context.Context, c *call.Call, r *result.Result) Reviewed {
	if c == nil || r == nil {
		return Reviewed{}
	}
	if len(r.Raw) > maxBounded { // a check that is left behind may still read it, and the caller use its buffer again
		own := *r
		own.Raw = bytes.Clone(r.Raw)
		r = &own
	}
	bound, err := g.bind(c, true)
	if err != nil {
		g.logger.Error("applying the policy broke", "server", c.Server, "tool", c.Name, "err", err)
		return Reviewed{Verdict: Verdict{Findings: []check.Finding{{Check: "policy", Stage: check.Output, Level: check.SemanticLevel,
			Message: "what the policy demands of the result could not be worked out; the reason is in toolvet's log"}}}}
	}
	var reviewed Reviewed
	judged := judgement{call: c, at: PointProxy, bound: bound, evaluate: g.outputEvaluator(c, r), review: &review{result: r}}
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
	if !reviewed.refused() {
		reviewed.Go, reviewed.Raw, reviewed.Notes = true, raw, judged.review.notes
	}
	return reviewed
}

// clean takes the names of properties that are hidden or gone out of the places of findings: such
// a name can be a secret. Where a check broke or was late, any name may be one.
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

// Reviews reports whether the Gate looks at results at all.
func (g *Gate) Reviews() bool {
	for _, s := range g.stages {
		if s.name == check.Output {
			return true
		}
	}
	return false
}
