// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/upstream"
)

// The outcomes of a scenario.
const (
	Passed  = "passed"
	Failed  = "failed"
	Skipped = "skipped"
	Advised = "advised" // it does not what the protocol says it SHOULD do
)

// A Result is the outcome of one scenario in one revision.
type Result struct {
	Scenario *Scenario
	Revision string
	Status   string        // Passed, Failed or Skipped
	Why      string        // of a failure or a skip
	Took     time.Duration // of the scenario
}

// A Run plays scenarios against one peer.
type Run struct {
	// Dialer connects to the server under test.
	Dialer upstream.Dialer
	// Behind connects to a proxy that has the server of a scenario behind it, which records what reaches it; the
	// function returns the requests so far. Nil: the peer is a server, and not a proxy.
	Behind func(s *Scenario) (d upstream.Dialer, requests func() ([]any, error), err error)
	// Revisions are those to test. Empty: all, and those that the peer does not speak are left out.
	Revisions []string
	// Only are names of scenarios. Empty: all.
	Only []string
	// DryRunsOnly leaves out the scenarios about live calls, for validators that only judge dry runs.
	DryRunsOnly bool
	// SDK leaves out the scenarios about messages that an SDK refuses before it hands them to the validator.
	SDK bool
	// Remote is set for a server behind a URL: it cannot be sent broken lines.
	Remote bool
	// Timeout bounds the start of the peer and each answer. 0: 10 s.
	Timeout time.Duration
	// Stderr receives what the peer prints there. Nil: nobody.
	Stderr io.Writer
	// Report receives each result when it is known. Nil: nobody.
	Report func(Result)
}

// ErrNoRevision means that the peer speaks none of the revisions.
var ErrNoRevision = errors.New("the server speaks no revision of MCP")

// Play plays the scenarios for servers, and those for proxies if Behind is set. It returns their results. An error means that the
// peer could not be tested at all.
func (r *Run) Play(ctx context.Context) ([]Result, error) {
	all, err := Scenarios()
	if err != nil {
		return nil, err
	}
	revisions := r.Revisions
	if len(revisions) == 0 {
		revisions = Revisions
	}
	var results []Result
	spoken, why := 0, error(nil)
	for _, revision := range revisions {
		s, err := r.connect(ctx, r.Dialer, revision)
		if errors.Is(err, errRevision) && len(r.Revisions) == 0 {
			why = err
			continue
		}
		if err != nil {
			return results, fmt.Errorf("revision %s: %w", revision, err)
		}
		spoken++
		for _, scenario := range all {
			if scenario.Peer == Client || scenario.Peer == Proxy && r.Behind == nil || !scenario.covers(revision) || !r.wanted(scenario) {
				continue
			}
			began := time.Now()
			result := Result{Scenario: scenario, Revision: revision, Status: Passed}
			if why := r.lacking(scenario, s); why != "" {
				result.Status, result.Why = Skipped, why
			} else if err := r.play(ctx, scenario, &s, revision); err != nil {
				result.Status, result.Why = failure(scenario), err.Error()
			}
			result.Took = time.Since(began)
			results = append(results, result)
			if r.Report != nil {
				r.Report(result)
			}
			if ctx.Err() != nil {
				break
			}
		}
		s.close()
	}
	if spoken == 0 {
		return results, fmt.Errorf("%w: %w", ErrNoRevision, why)
	}
	return results, ctx.Err()
}

// failure is the status of a scenario whose expectations do not hold.
func failure(s *Scenario) string {
	if s.Should {
		return Advised
	}
	return Failed
}

func (r *Run) wanted(s *Scenario) bool { return len(r.Only) == 0 || slices.Contains(r.Only, s.Name) }

func (r *Run) timeout() time.Duration {
	if r.Timeout > 0 {
		return r.Timeout
	}
	return 10 * time.Second
}

func (r *Run) stderr() io.Writer {
	if r.Stderr == nil {
		return io.Discard
	}
	return r.Stderr
}

func (r *Run) connect(ctx context.Context, d upstream.Dialer, revision string) (*session, error) {
	p, err := dial(ctx, d, revision, r.timeout(), r.stderr())
	if err != nil {
		return nil, err
	}
	s, err := greet(ctx, p)
	if err != nil {
		p.close()
		return nil, err
	}
	return s, nil
}

// lacking says what the peer lacks for a scenario; "" if nothing.
func (r *Run) lacking(scenario *Scenario, s *session) string {
	for _, n := range scenario.Needs {
		switch {
		case n == "live" && r.DryRunsOnly, n == "lines" && r.Remote, n == "reader" && r.SDK:
		case n == "live" || n == "lines" || n == "reader":
			continue
		case scenario.Peer == Proxy || s.known[n]:
			continue
		}
		return "needs " + needs[n]
	}
	if n := scenario.batchSize(); scenario.Peer != Proxy && s.known["batch"] && n > s.maxBatch() {
		return fmt.Sprintf("needs a maxBatchSize of at least %d", n)
	}
	return ""
}

// play plays a scenario. It replaces the session if the scenario ended it.
func (r *Run) play(ctx context.Context, scenario *Scenario, shared **session, revision string) error {
	s := *shared
	p := &player{scenario: scenario, session: s}
	if scenario.Peer == Proxy {
		d, requests, err := r.Behind(scenario)
		if err != nil {
			return err
		}
		if s, err = r.connect(ctx, d, revision); err != nil {
			return err
		}
		defer s.close()
		p.session, p.requests = s, requests
	}
	err := p.steps(ctx)
	if scenario.Peer == Server && (err != nil || s.isGone()) {
		s.close()
		again, dialErr := r.connect(ctx, r.Dialer, revision)
		if dialErr != nil {
			return errors.Join(err, dialErr)
		}
		*shared = again
	}
	return err
}

func (p *peer) isGone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone != nil
}

// A player plays one scenario.
type player struct {
	scenario *Scenario
	session  *session
	requests func() ([]any, error)
	answers  []any
	before   int // runs of the fixture's tool
}

func (p *player) steps(ctx context.Context) error {
	counts := p.uses("ran")
	if counts {
		var err error
		if p.before, err = p.session.runs(ctx); err != nil {
			return err
		}
	}
	p.session.begin()
	for i, step := range p.scenario.Steps {
		facts := map[string]any{"revision": p.session.revision, "handshake": p.session.handshake, "tools": p.session.tools,
			"capability": p.session.capability, "validate": p.session.validate}
		answer, err := p.send(ctx, step)
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if answer != nil {
			p.answers = append(p.answers, answer)
			addAnswer(facts, answer)
		}
		notes, late := p.session.notified()
		facts["answers"], facts["notes"], facts["late"], facts["rising"] = p.answers, notes, late, rising(notes)
		if counts {
			n, err := p.session.runs(ctx)
			if err != nil {
				return err
			}
			facts["ran"] = n - p.before
		}
		if p.requests != nil {
			if facts["behind"], err = p.requests(); err != nil {
				return err
			}
		}
		for _, e := range step.Expect {
			if err := holds(e, facts); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// rising reports whether each progress is larger than the one before, and none is larger than its total.
func rising(notes []any) bool {
	last := -1.0
	for _, n := range notes {
		m, _ := n.(map[string]any)
		params, _ := m["params"].(map[string]any)
		if m["method"] != "notifications/progress" {
			continue
		}
		progress, ok := params["progress"].(float64)
		total, bounded := params["total"].(float64)
		if !ok || progress <= last || bounded && progress > total {
			return false
		}
		last = progress
	}
	return true
}

// uses reports whether an expectation of the scenario has a variable.
func (p *player) uses(variable string) bool {
	return slices.ContainsFunc(p.scenario.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Expect, func(e string) bool { return strings.Contains(" "+e, " "+variable+" ") })
	})
}

// addAnswer adds what expectations say of an answer.
func addAnswer(facts map[string]any, answer message) {
	facts["answer"], facts["text"] = answer, firstText(answer)
	result, _ := answer["result"].(map[string]any)
	meta, _ := result["_meta"].(map[string]any)
	facts["refusal"] = meta["io.github.toolvet/verdict"]
	if structured, ok := result["structuredContent"]; ok {
		facts["verdict"] = structured
		return
	}
	var v any
	if json.Unmarshal([]byte(firstText(answer)), &v) == nil {
		facts["verdict"] = v
	}
}

// send sends the message of a step, and returns the answer; nil if the step has none.
func (p *player) send(ctx context.Context, step Step) (message, error) {
	s := p.session
	step.Meta, _ = p.filled(step.Meta).(map[string]any)
	switch {
	case step.Dry != nil:
		return s.request(ctx, "tools/call", map[string]any{"name": s.validate, "arguments": p.filled(step.Dry)}, step.Meta)
	case step.Batch != nil:
		return s.request(ctx, "tools/call", map[string]any{"name": s.validate + "_batch", "arguments": p.filled(step.Batch)}, step.Meta)
	case step.Call != nil:
		return s.request(ctx, "tools/call", map[string]any{"name": p.filled(step.Call.Name), "arguments": p.filled(step.Call.Arguments)}, step.Meta)
	case step.Request != nil:
		params, _ := p.filled(step.Request.Params).(map[string]any)
		return s.request(ctx, step.Request.Method, params, step.Meta)
	case step.Raw != "":
		id := cmp.Or(step.ID, strconv.Itoa(s.next()))
		var wanted any
		if err := json.Unmarshal([]byte(id), &wanted); err != nil {
			return nil, fmt.Errorf("the scenario's id is no JSON: %w", err)
		}
		return s.exchange(ctx, p.line(step.Raw, id, step.Meta), fmt.Sprint(wanted))
	}
	return nil, nil
}

// token is the latest token of the scenario, and of a batch the first, or the last; "" if there is none.
func (p *player) token(ofLast bool) string {
	for _, a := range slices.Backward(p.answers) {
		answer, _ := a.(message)
		result, _ := answer["result"].(map[string]any)
		meta, _ := result["_meta"].(map[string]any)
		given := meta["io.github.toolvet/token"]
		if list, ok := given.([]any); ok && len(list) > 0 {
			given = list[0]
			if ofLast {
				given = list[len(list)-1]
			}
		}
		if token, ok := given.(map[string]any); ok {
			text, _ := token["token"].(string)
			return text
		}
	}
	return ""
}

// filled replaces the names of tools in a value: $validate, $batch, $write and $count; and tokens: $token, $lasttoken of the last
// call of a batch, and $forged, which differs from $token.
func (p *player) filled(v any) any {
	switch v := v.(type) {
	case string:
		switch v {
		case "$validate":
			return p.session.validate
		case "$batch":
			return p.session.validate + "_batch"
		case "$write":
			return p.session.write
		case "$count":
			return p.session.count
		case "$token", "$lasttoken":
			return p.token(v == "$lasttoken")
		case "$forged":
			token := []byte(p.token(false))
			if len(token) > 0 {
				token[len(token)/2] ^= 1 // another letter or digit, or a sign
			}
			return string(token)
		case "$toomany":
			many := []any{}
			for range p.session.maxBatch() + 1 {
				many = append(many, map[string]any{"tool": p.session.count, "arguments": map[string]any{}})
			}
			return many
		}
	case map[string]any:
		out := maps.Clone(v)
		for k := range out {
			out[k] = p.filled(out[k])
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = p.filled(out[i])
		}
		return out
	}
	return v
}

// line fills the places of a raw line. More is added to its _meta.
func (p *player) line(raw, id string, more map[string]any) string {
	meta := ""
	if m := p.session.meta(more); len(m) > 0 {
		text, _ := json.Marshal(m) // what was YAML
		meta = `"_meta":` + string(text) + ","
	}
	return strings.NewReplacer("${id}", id, "${meta}", meta, "${validate}", p.session.validate, "${write}", p.session.write, "${count}", p.session.count,
		"${deep}", strings.Repeat("[", 5000)+strings.Repeat("]", 5000), "${huge}", strings.Repeat("x", 3<<20)).Replace(strings.TrimRight(raw, "\n"))
}
