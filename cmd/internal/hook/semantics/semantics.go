// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package semantics says what each host does with the process of a hook that ran before a tool,
// however that process ended. The rules come from the hosts' sources and documents, named in hook.Host.Verified. Where
// these say nothing, or contradict each other, the call is taken to run.
package semantics

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

// An Outcome is what becomes of the call.
type Outcome string

// The outcomes.
const (
	Blocked Outcome = "blocked"
	Asked   Outcome = "asked"   // the user must confirm it
	Allowed Outcome = "allowed" // the host goes on, with or without permissions of its own
)

// A Result is how the process of a hook ended, as the host sees it.
type Result struct {
	hook.Reply
	Signalled  bool // a signal ended it
	TimedOut   bool // it did not end in time
	NotStarted bool // it could not be started
}

// A Failure is a way in which a hook fails.
type Failure struct {
	Name   string
	Result func(h *hook.Host) Result
}

// Failures are those that every host is tried with.
func Failures() []Failure {
	is := func(r Result) func(*hook.Host) Result { return func(*hook.Host) Result { return r } }
	return []Failure{
		{"crash", is(Result{Reply: hook.Reply{Stderr: []byte("toolvet: something is wrong\n"), Exit: 1}})},
		{"panic", is(Result{Reply: hook.Reply{Stderr: []byte("panic: something\n\ngoroutine 1 [running]:\n"), Exit: 2}})},
		{"killed", is(Result{Signalled: true})},
		{"hangs", is(Result{TimedOut: true})},
		{"garbage on stdout", is(Result{Reply: hook.Reply{Stdout: []byte("all fine\n")}})},
		{"half an answer", is(Result{Reply: hook.Reply{Stdout: []byte(`{"decision":"deny`)}})},
		{"no output", is(Result{})},
		{"wrong exit code", is(Result{Reply: hook.Reply{Exit: 3}})},
		{"no program", is(Result{NotStarted: true, Reply: hook.Reply{Stderr: []byte("sh: 1: toolvet: not found\n"), Exit: 127}})},
		{"judge gone", func(h *hook.Host) Result { return Result{Reply: h.Refuse("the judge of toolvet does not answer")} }},
	}
}

// Run returns what a host does after a hook before a tool; closed says that the host's fail-closed switch is on.
func Run(host string, r Result, closed bool) Outcome {
	rule, ok := rules[host]
	if !ok {
		return Allowed // a host without hooks
	}
	outcome := rule(r)
	if outcome == failed {
		if closed && switchable[host] {
			return Blocked
		}
		return Allowed
	}
	return outcome
}

// Guarded returns the end of a failed hook that the shell of package install guards, as the host sees it.
func Guarded(h *hook.Host, r Result) Result {
	const words = "toolvet failed, so it refuses this call.\n"
	switch {
	case r.TimedOut:
		return r
	case h.ExitTwo:
		if !r.ran() || r.Exit != 2 {
			r.Stderr = append(slices.Clip(r.Stderr), words...)
		}
		r.Exit = 2
	case h.Name == "cline":
		r.Stdout, r.Exit = []byte(`{"cancel":true}`), 0
	case h.Name == "amp" && (!r.ran() || r.Exit != 1):
		r.Exit = 2
	default:
		return r
	}
	r.Signalled, r.NotStarted = false, false
	return r
}

// failed is the outcome of a hook that made no decision.
const failed Outcome = ""

// switchable are the hosts with a switch that turns failed into Blocked.
var switchable = map[string]bool{"claude-code": true, "cursor": true, "goose": true}

var rules = map[string]func(Result) Outcome{
	"claude-code": claude,
	"vscode":      claude,
	"droid":       claude,
	"qwen":        claude,
	"codex":       codex,
	"gemini":      gemini,
	"antigravity": antigravity,
	"copilot":     copilot,
	"cursor":      cursor,
	"windsurf":    exitTwo,
	"kiro":        exitTwo,
	"cline":       cline,
	"goose":       goose,
	"amp":         amp,
	"opencode":    plugin,
	"grok":        grok,
	"kimi":        kimi,
}

// An output is the JSON of all hosts at once.
type output struct {
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Permission string `json:"permission"`         // Cursor
	Flat       string `json:"permissionDecision"` // Copilot
	Continue   *bool  `json:"continue"`
	Stop       string `json:"stopReason"`
	Suppress   bool   `json:"suppressOutput"`
	Cancel     bool   `json:"cancel"` // Cline
	Specific   struct {
		Decision string          `json:"permissionDecision"`
		Reason   string          `json:"permissionDecisionReason"`
		Input    json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

func parse(b []byte) (o output, ok bool) {
	b = bytes.TrimSpace(b)
	return o, bytes.HasPrefix(b, []byte("{")) && json.Unmarshal(b, &o) == nil
}

// ran reports whether the process ended by itself.
func (r Result) ran() bool { return !r.Signalled && !r.TimedOut && !r.NotStarted }

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

var outcomes = map[string]Outcome{"deny": Blocked, "block": Blocked, "ask": Asked, "force_ask": Asked, "defer": Asked, "allow": Allowed, "approve": Allowed, "": Allowed}

// claude: exit code 2 blocks, 0 is read, anything else is a failure. Text that is no JSON is no failure.
func claude(r Result) Outcome {
	switch {
	case !r.ran():
		return failed
	case r.Exit == 2:
		return Blocked
	case r.Exit != 0:
		return failed
	}
	o, ok := parse(r.Stdout)
	switch {
	case !ok && bytes.HasPrefix(bytes.TrimSpace(r.Stdout), []byte("{")):
		return failed
	case !ok:
		return Allowed
	case o.Continue != nil && !*o.Continue, outcomes[o.Decision] == Blocked:
		return Blocked
	}
	return outcomes[o.Specific.Decision]
}

// codex: as parse_completed and unsupported_pre_tool_use_* have it.
func codex(r Result) Outcome {
	switch {
	case !r.ran():
		return failed
	case r.Exit == 2 && !blank(r.Stderr):
		return Blocked
	case r.Exit != 0:
		return failed
	}
	o, ok := parse(r.Stdout)
	if !ok || o.Continue != nil && !*o.Continue || o.Stop != "" || o.Suppress {
		return failed
	}
	if o.Specific.Decision != "" || o.Specific.Reason != "" || o.Specific.Input != nil {
		if o.Specific.Decision == "deny" && strings.TrimSpace(o.Specific.Reason) != "" && o.Specific.Input == nil {
			return Blocked
		}
		return failed
	}
	if o.Decision == "block" && strings.TrimSpace(o.Reason) != "" {
		return Blocked
	}
	return failed
}

// gemini reads JSON at any exit code, from stderr if stdout is empty, and takes other text with an exit code above 1
// for the reason of a denial. It is an older one, which does not know "ask".
func gemini(r Result) Outcome {
	if !r.ran() && !r.NotStarted {
		return failed
	}
	text := r.Stdout
	if blank(text) {
		text = r.Stderr
	}
	if o, ok := parse(text); ok {
		if o.Decision == "deny" || o.Decision == "block" || o.Continue != nil && !*o.Continue {
			return Blocked
		}
		return Allowed
	}
	if !blank(text) && r.Exit > 1 {
		return Blocked
	}
	return failed
}

// antigravity needs a decision. One issue says that empty output allows in 1.0.3; later reports say that it denies.
func antigravity(r Result) Outcome {
	if r.TimedOut {
		return failed
	}
	o, ok := parse(r.Stdout)
	if !ok || o.Decision == "" || r.Exit != 0 || !r.ran() {
		return Blocked
	}
	if outcome, known := outcomes[o.Decision]; known {
		return outcome
	}
	return Blocked
}

// copilot: everything but a timeout and unreadable output fails closed.
func copilot(r Result) Outcome {
	switch {
	case r.TimedOut:
		return failed
	case r.Exit != 0, !r.ran():
		return Blocked
	}
	o, ok := parse(r.Stdout)
	if !ok {
		return failed
	}
	return outcomes[o.Flat]
}

// cursor: output that is no JSON blocks before a tool, empty output is a failure.
func cursor(r Result) Outcome {
	switch {
	case !r.ran():
		return failed
	case r.Exit == 2:
		return Blocked
	case r.Exit != 0, blank(r.Stdout):
		return failed
	}
	o, ok := parse(r.Stdout)
	if !ok {
		return Blocked
	}
	return outcomes[o.Permission]
}

func exitTwo(r Result) Outcome {
	if r.ran() && r.Exit == 2 {
		return Blocked
	}
	return failed
}

// cline reads JSON at any exit code.
func cline(r Result) Outcome {
	if o, ok := parse(r.Stdout); ok && r.ran() && o.Cancel {
		return Blocked
	}
	return failed
}

// goose: five rules, in the order of its documentation.
func goose(r Result) Outcome {
	if !r.ran() {
		return failed
	}
	o, ok := parse(r.Stdout)
	switch {
	case r.Exit == 2:
		return Blocked
	case !utf8.Valid(r.Stdout):
		return failed
	case ok && o.Decision == "block":
		return Blocked
	case r.Exit == 0 && (blank(r.Stdout) || ok && o.Decision == "allow"):
		return Allowed
	}
	return failed
}

func amp(r Result) Outcome {
	switch {
	case !r.ran():
		return failed
	case r.Exit == 0:
		return Allowed
	case r.Exit == 1:
		return Asked
	}
	return Blocked
}

// plugin is toolvet's own plugin: everything but an answer is a denial. Where OpenCode and Pi cannot ask, it blocks.
func plugin(r Result) Outcome {
	o, ok := parse(r.Stdout)
	if !ok || !r.ran() || r.Exit != 0 {
		return Blocked
	}
	switch o.Decision {
	case "allow":
		return Allowed
	case "ask":
		return Asked
	}
	return Blocked
}

func grok(r Result) Outcome {
	if o, ok := parse(r.Stdout); r.ran() && (r.Exit == 2 || ok && o.Decision == "deny") {
		return Blocked
	}
	return failed
}

// kimi reads a denial alone.
func kimi(r Result) Outcome {
	o, ok := parse(r.Stdout)
	if r.ran() && (r.Exit == 2 || r.Exit == 0 && ok && o.Specific.Decision == "deny") {
		return Blocked
	}
	return failed
}
