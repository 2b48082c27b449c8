// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/record"
)

// TestDoors plays each call through every door. What the first door answers and records, the
// others must, too.
func TestDoors(t *testing.T) {
	t.Parallel()
	if len(plays) < 60 {
		t.Fatalf("%d calls are played, want at least 60", len(plays))
	}
	for _, p := range plays {
		t.Run(strings.ReplaceAll(p.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			var first *played
			for _, d := range doors {
				why, skip := p.not[d.name]
				if skip && why == "" {
					t.Fatalf("%s is left out at the door %s for no reason", p.name, d.name)
				}
				if skip || d.jobs && !p.job() {
					continue
				}
				got := p.play(t, d)
				p.expect(t, d, got)
				if first == nil {
					first = got
					continue
				}
				if diff := cmp.Diff(first.answers, got.answers, cmpopts.IgnoreMapEntries(func(id string, answer any) bool {
					return d.jobs && got.answers[id] == nil // a run keeps no error, but a reason
				})); diff != "" && p.differs[d.name] == "" {
					t.Errorf("the answers (-%s +%s):\n%s", first.door, d.name, diff)
				}
				if diff := cmp.Diff(first.records, got.records, cmpopts.IgnoreMapEntries(func(name string, _ any) bool {
					return d.lacks[name] != "" || p.nobody && name == "server" || p.nobody && d.name == "mcpgate" && (name == "findings" || name == "tool")
				})); diff != "" {
					t.Errorf("the records (-%s +%s):\n%s", first.door, d.name, diff)
				}
				if diff := cmp.Diff(first.ran, got.ran); diff != "" {
					t.Errorf("what ran (-%s +%s):\n%s", first.door, d.name, diff)
				}
			}
		})
	}
}

// A played is what came of a play at a door.
type played struct {
	door    string
	answers map[string]any
	records []map[string]any
	ran     []string
}

// policyText is the policy of all plays; that of a play is added.
const policyText = `version: 1
rules:
  - {name: not-denied, effect: deny, tools: "s:denied"}
  - {name: small, effect: deny, tools: "s:order", when: 'has(args.count) && args.count > 500'}
  - {name: others, effect: allow, tools: "*"}
  - {name: reads, effect: allow, requests: ["s:resources/read", "s:prompts/get", "s:completion/complete"]}
  - {name: not-complete, effect: deny, requests: "s:completion/complete", when: 'args.argument.value.startsWith("no")'}
servers:
  s:
    tools: {order: {arguments: {path: {path: {within: [/srv/data], base: /srv/data}}, url: {url: {}}}}, call_tool: {calls: {tool: name, arguments: arguments}},
      canon: {fill_defaults: true, arguments: {path: {path: {within: [/srv/data], base: /srv/data, canonical: true}}, "/files/*/name": {path: {within: [/srv/data], base: /srv/data, canonical: true}}}}}
    requests: {resources/read: {arguments: {uri: {path: {within: [/srv/data]}}}}}
limits:
  - {name: prompts, requests: "s:prompts/*", quota: 2/day}
  - {name: twice, tools: "s:counted", quota: 2/day}
`

func (p *play) gate(t *testing.T, more ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	parsed, err := policy.Parse("toolvet.yaml", []byte(policyText+p.policy), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := new(access.Enforcer).Options(parsed)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := preset.Apply(preset.Default, parsed, suite.Default())
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(slices.Concat(options, more, []toolvet.Option{toolvet.WithPolicy(policy.Seal(joined)), toolvet.WithElsewhere("preset"), toolvet.WithTimeout(patience)})...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

func (p *play) play(t *testing.T, d door) *played {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	recorder, err := record.Open(policy.Log{File: file, Arguments: true}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := &fake{unlisted: p.unlisted, dying: p.dying}
	s := setting{gate: p.gate(t, toolvet.WithServer("s"), toolvet.WithCaller(ann), toolvet.WithObserver(recorder)), observer: recorder, server: server}
	if p.rehearse {
		s.rehearse = func(_ context.Context, calls []*call.Call, _ func(context.Context, *call.Call) bool) (json.RawMessage, error) {
			names := make([]string, len(calls))
			for i, c := range calls {
				names[i] = c.Name
			}
			return fmt.Appendf(nil, `{"content":[{"type":"text","text":"would run %s with %s"}]}`, strings.Join(names, " and "), token), nil
		}
	}
	at := d.open(t, s)
	got := &played{door: d.name, answers: map[string]any{}}
	for i, m := range p.messages {
		text := strings.ReplaceAll(m, "§", d.prefix)
		if !strings.HasPrefix(text, "{\"jsonrpc\"") && text[0] != '[' {
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, i+1, text)
		}
		at.send(t, text)
		if p.cancels {
			eventually(t, "the server works on it", func() bool { return len(server.took()) == 1 })
			at.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			eventually(t, "the end is recorded", func() bool { return len(records(t, file)) >= 2 })
			break
		}
		if p.leaves {
			eventually(t, "the server works on it", func() bool { return len(server.took()) == 1 })
			at.close(t)
			eventually(t, "the end is recorded", func() bool { return len(records(t, file)) >= 2 })
			break
		}
		if !strings.Contains(text, `"id"`) {
			continue
		}
		for _, id := range p.ids(i) {
			answer := at.receive(t, id)
			if p.secret != "" && strings.Contains(answer, p.secret) {
				t.Errorf("%s: the answer %s tells of %s", d.name, answer, p.secret)
			}
			if d.prefix != "" {
				answer = strings.ReplaceAll(answer, d.prefix, "")
			}
			answer = circumstances.ReplaceAllString(answer, "has no result: ….$1")
			answer = retry.ReplaceAllString(answer, "retry in …")
			if p.dying {
				answer = unlisted.ReplaceAllString(answer, "cannot be judged: …")
			}
			got.answers[fmt.Sprint(id)] = decoded(t, answer)
		}
	}
	if !p.leaves {
		at.close(t)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer stop()
	recorder.Close(ctx)
	got.records, got.ran = records(t, file), server.took()
	if d.jobs { // whose verdicts ahead are dry runs
		got.records = slices.DeleteFunc(got.records, func(r map[string]any) bool { return r["kind"] == "validate" })
	}
	for _, r := range got.records {
		p.plain(d, r)
	}
	if p.atOnce {
		slices.SortFunc(got.records, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return got
}

// ids are the requests of a message.
func (p *play) ids(i int) []int {
	if p.batch > 0 {
		list := make([]int, p.batch)
		for n := range list {
			list[n] = n + 1
		}
		return list
	}
	return []int{i + 1}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// circumstances are why a call has no result. Only the door knows how it reaches its server, and
// who starts that again.
var (
	circumstances = regexp.MustCompile(`has no result: [^\n]*?\.(\\n|$)`)
	retry         = regexp.MustCompile(`retry in \d+ \w+`) // until the quota's day ends: less at a later door
	unlisted      = regexp.MustCompile(`cannot be judged: (?:[^"\\]|\\[^n])*`)
)

// records are those of calls, in their order.
func records(t *testing.T, file string) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	for line := range strings.Lines(string(text)) {
		var r map[string]any
		if !strings.HasSuffix(line, "\n") || json.Unmarshal([]byte(line), &r) != nil {
			break // it is being written
		}
		if r["kind"] == "list" && r["server"] != "s" {
			t.Errorf("a list of tools is recorded for the server %q", r["server"])
		}
		if slices.Contains([]any{"call", "result", "validate"}, r["kind"]) {
			list = append(list, r)
		}
	}
	return list
}

// plain takes out of a record what two runs need not have in common: times, and the chain.
// Some fields tell of the door itself.
func (p *play) plain(d door, r map[string]any) {
	for _, name := range []string{"time", "chain", "seq", "prev", "hash", "duration_us", "arguments_digest"} {
		delete(r, name)
	}
	if d.name == "mcpgate" {
		if r["point"] == "library" {
			r["point"] = "proxy" // where it judges, by its nature
		}
	}
	if arguments, _ := r["arguments"].(map[string]any); p.nobody && arguments["tool"] != nil { // which the gateway's clients spell otherwise
		delete(r, "arguments")
		delete(r, "arguments_bytes")
	}
	if method, _ := r["method"].(string); strings.HasPrefix(method, "unknown ") {
		r["method"] = "unknown" // likewise
	}
	if tool, _ := r["tool"].(string); strings.HasPrefix(tool, "unknown ") {
		r["tool"] = "unknown" // the digest has the log's own key
	}
	inner, _ := r["inner"].([]any)
	for i := range inner {
		if tool, _ := inner[i].(string); strings.HasPrefix(tool, "unknown ") {
			inner[i] = "unknown"
		}
	}
}
