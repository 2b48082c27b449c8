// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/kit"
	"github.com/toolvet/toolvet/upstream"
)

type object = map[string]any

// A flaw makes a server wrong in one way. Change changes the answer to a request in place; or it returns another line to
// send to the server first, "" for none.
type flaw struct {
	scenario string // that catches it
	revision string // "": 2025-06-18
	change   func(m *exchanged)
}

// An exchanged is a request and its answer, or a message of the server by itself, which has no method here.
type exchanged struct {
	method, tool string // the method, and of tools/call the name
	request      object
	answer       object   // nil: it is not sent
	more         []object // messages behind the answer
}

// result returns the result of the answer.
func (x *exchanged) result() object { r, _ := x.answer["result"].(object); return r }

// announced calls f with each object that announces the protocol.
func (x *exchanged) announced(f func(capability object)) {
	capabilities, _ := x.result()["capabilities"].(object)
	for _, place := range []string{"experimental", "extensions"} {
		group, _ := capabilities[place].(object)
		for _, c := range group {
			if c, ok := c.(object); ok {
				f(c)
			}
		}
	}
}

// listed calls f with the definition of a tool.
func (x *exchanged) listed(name string, f func(tool object)) {
	if x.method != "tools/list" {
		return
	}
	tools, _ := x.result()["tools"].([]any)
	for _, t := range tools {
		if t, ok := t.(object); ok && t["name"] == name {
			f(t)
		}
	}
}

// verdict calls f with the verdict in the answer of the validate tool, and writes it back to both places.
func (x *exchanged) verdict(f func(v object)) { x.verdictOf("validate", f) }

func (x *exchanged) verdictOf(tool string, f func(v object)) {
	v, ok := x.result()["structuredContent"].(object)
	if x.tool != tool || !ok {
		return
	}
	f(v)
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what was JSON
	}
	x.result()["content"].([]any)[0].(object)["text"] = string(text)
}

// refused calls f with the result of a refused live call.
func (x *exchanged) refused(f func(result object)) {
	if x.tool == "conformance_write" && x.result()["isError"] == true {
		f(x.result())
	}
}

// arguments are those of the request's target.
func (x *exchanged) arguments() object {
	params, _ := x.request["params"].(object)
	outer, _ := params["arguments"].(object)
	inner, _ := outer["arguments"].(object)
	return inner
}

func both(f func(c object)) func(*exchanged) {
	return func(x *exchanged) { x.announced(f) }
}

func definition(tool string, f func(t object)) func(*exchanged) {
	return func(x *exchanged) { x.listed(tool, f) }
}

func verdicts(f func(v object)) func(*exchanged) {
	return func(x *exchanged) { x.verdict(f) }
}

func batches(f func(v object)) func(*exchanged) {
	return func(x *exchanged) { x.verdictOf("validate_batch", f) }
}

func refusals(f func(r object)) func(*exchanged) {
	return func(x *exchanged) { x.refused(f) }
}

// flaws are the broken servers, by name.
var flaws = merged(basicFlaws, furtherFlaws, laterFlaws)

var basicFlaws = map[string]flaw{
	"announces under experimental alone": {"capability-in-both-places", "", func(x *exchanged) {
		if c, ok := x.result()["capabilities"].(object); ok {
			delete(c, "extensions")
		}
	}},
	"announces nothing": {"capability-announced", "", func(x *exchanged) {
		if c, ok := x.result()["capabilities"].(object); ok {
			delete(c, "extensions")
			delete(c, "experimental")
		}
	}},
	"announces true": {"capability-is-an-object", "", func(x *exchanged) {
		if c, ok := x.result()["capabilities"].(object); ok {
			c["experimental"].(object)["toolValidation"] = true
		}
	}},
	"announces at the top": {"capability-has-no-key-of-its-own", "", func(x *exchanged) {
		if c, ok := x.result()["capabilities"].(object); ok {
			c["toolValidation"] = object{"supported": true}
		}
	}},
	"has no tools":                     {"capability-beside-tools", "", func(x *exchanged) { delete(orEmpty(x.result()["capabilities"]), "tools") }},
	"announces no name":                {"capability-required-options", "", both(func(c object) { delete(c, "method") })},
	"announces version 2.0":            {"capability-version", "", both(func(c object) { c["version"] = "2.0" })},
	"announces texts as switches":      {"options-have-their-types", "", both(func(c object) { c["streaming"] = "yes" })},
	"announces batches of none":        {"batch-size-with-batches", "", both(func(c object) { c["maxBatchSize"] = 0 })},
	"announces a size without batches": {"batch-size-without-batches", "", both(func(c object) { c["batchValidation"] = false; c["maxBatchSize"] = 7 })},
	"contradicts itself about caching": {"caching-equals-cacheable", "", both(func(c object) { c["cacheable"] = true; c["caching"] = object{"enabled": false} })},
	"knows other events":               {"caching-events", "", both(func(c object) { c["caching"] = object{"enabled": true, "ttl": 1, "invalidateOn": []any{"moon"}} })},
	"keeps verdicts for half a second": {"caching-has-a-time", "", both(func(c object) { c["cacheable"] = true; c["caching"] = object{"enabled": true, "ttl": 0.5} })},
	"has tasks in old revisions":       {"async-in-old-revisions", "2024-11-05", both(func(c object) { c["async"] = true })},
	"lists no batch tool":              {"batch-tool-listed", "", definition("validate_batch", func(t object) { t["name"] = "batch" })},
	"lists the tool twice": {"tool-listed-once", "", func(x *exchanged) {
		if tools, ok := x.result()["tools"].([]any); ok {
			x.listed("validate", func(t object) { x.result()["tools"] = append(tools, any(maps.Clone(t))) })
		}
	}},
	"requires the tool alone": {"tool-requires-two-members", "", definition("validate", func(t object) { t["inputSchema"].(object)["required"] = []any{"tool"} })},
	"allows any member":       {"tool-allows-no-other-member", "", definition("validate", func(t object) { delete(t["inputSchema"].(object), "additionalProperties") })},
	"takes arguments as text": {"tool-arguments-are-an-object", "", definition("validate", func(t object) { t["inputSchema"].(object)["properties"].(object)["arguments"] = object{} })},
	"says nothing of reading": {"tool-is-read-only", "", definition("validate", func(t object) { delete(t["annotations"].(object), "readOnlyHint") })},
	"counts as destructive":   {"tool-destroys-nothing", "", definition("validate", func(t object) { delete(t["annotations"].(object), "destructiveHint") })},
	"demands the shape of entries": {"batch-tool-schema", "", definition("validate_batch", func(t object) {
		t["inputSchema"].(object)["properties"].(object)["calls"].(object)["items"] = object{"required": []any{"tool"}}
	})},
	"says yes to everything":        {"invalid-call", "", verdicts(func(v object) { v["valid"], v["errors"], v["findings"] = true, []any{}, []any{} })},
	"says no to everything":         {"valid-call", "", verdicts(func(v object) { v["valid"], v["errors"] = false, []any{"no"} })},
	"is valid beside errors":        {"valid-means-no-errors", "", verdicts(func(v object) { v["valid"] = true })},
	"leaves out empty lists":        {"core-members", "", verdicts(func(v object) { delete(v, "suggestions") })},
	"answers with an error":         {"invalid-call-is-a-success", "", func(x *exchanged) { x.verdict(func(v object) { x.result()["isError"] = v["valid"] == false }) }},
	"answers without a structure":   {"structured-result", "", func(x *exchanged) { x.verdict(func(object) {}); deleteOf(x, "validate", "structuredContent") }},
	"answers in prose":              {"text-result", "", func(x *exchanged) { proseOf(x, "validate") }},
	"says other things in the text": {"text-equals-structure", "", func(x *exchanged) { x.verdict(func(object) {}); changeStructure(x) }},
	"has no type of result":         {"result-is-complete", "2026-07-28", func(x *exchanged) { deleteOf(x, "validate", "resultType") }},
	"repeats values":                {"no-echo-of-values", "", func(x *exchanged) { x.verdict(func(v object) { echo(v, x.arguments()) }) }},
	"repeats values in suggestions": {"only-names-of-the-arguments", "", func(x *exchanged) { x.verdict(func(v object) { v["suggestions"] = []any{toText(x.arguments())} }) }},
	"writes places behind": {"errors-begin-with-a-place", "", verdicts(func(v object) {
		v["errors"] = eachText(v["errors"], func(s string) string { p, m, _ := strings.Cut(s, ": "); return m + " at " + p })
	})},
	"stops at the first error":  {"all-errors-at-once", "", verdicts(func(v object) { v["errors"] = firstOf(v["errors"]) })},
	"hides findings":            {"findings-are-complete", "", verdicts(func(v object) { v["findings"] = firstOf(v["findings"]) })},
	"has codes of its own":      {"findings-have-their-members", "", verdicts(func(v object) { eachObject(v["findings"], func(f object) { f["code"] = "E17" }) })},
	"fails for unknown targets": {"unknown-target", "", func(x *exchanged) { x.verdict(func(v object) { failUnknown(x, v) }) }},
	"ages backwards":            {"times-are-not-negative", "", verdicts(func(v object) { v["ttlMs"] = -1 })},
	"keeps unknown targets":     {"unknown-target-is-not-kept", "", verdicts(func(v object) { v["ttlMs"] = 1000 })},
	"mixes up a batch":          {"batch-results-in-order", "", batches(func(v object) { reverse(v) })},
	"is valid if one entry is":  {"batch-valid-if-all-are", "", batches(func(v object) { v["valid"], v["errors"] = true, []any{} })},
	"names no entry": {"batch-texts-name-their-entry", "", batches(func(v object) {
		v["errors"] = eachText(v["errors"], func(s string) string { _, m, _ := strings.Cut(s, ": "); return m })
	})},
	"takes empty batches":        {"batch-empty", "", func(x *exchanged) { passBatch(x) }},
	"leaves the level unchecked": {"levels-not-listed", "", func(x *exchanged) { passLevels(x) }},
	"reports refusals to the client": {"refused-call-is-a-tool-error", "", func(x *exchanged) {
		x.refused(func(object) { x.answer["error"] = object{"code": -32602, "message": "no"}; delete(x.answer, "result") })
	}},
	"refuses without the key":  {"refused-call-has-the-verdict", "", refusals(func(r object) { delete(r, "_meta") })},
	"refuses with a structure": {"refused-call-has-no-structure", "", refusals(func(r object) { r["structuredContent"] = object{"ok": false} })},
	"refuses without a word":   {"refused-call-says-nothing-ran", "", refusals(func(r object) { r["content"] = []any{object{"type": "text", "text": "denied"}} })},
	"is valid live":            {"live-and-dry-agree", "", refusals(func(r object) { r["_meta"].(object)["io.github.toolvet/verdict"].(object)["valid"] = true })},
	"has an error code of its own": {"no-codes-of-its-own", "", func(x *exchanged) {
		if e, ok := x.answer["error"].(object); ok {
			e["code"] = -32051
		}
	}},
	"sends progress to everybody": {"no-progress-without-a-token", "", func(x *exchanged) {
		if x.tool == "validate" {
			x.more = append(x.more, object{"jsonrpc": "2.0", "method": "notifications/progress", "params": object{"progressToken": 1, "progress": 1}})
		}
	}},
	"lets foreign members in live": {"live-foreign-member", "", func(x *exchanged) { letInWhere(x, "/owner") }},
	"lets wrong types in live":     {"live-wrong-type", "", func(x *exchanged) { letInWhere(x, "/path") }},
	"gives no token":               {"token-of-a-go", "", func(x *exchanged) { retoken(x, func(any) any { return nil }) }},
	"gives tokens to everybody":    {"token-only-if-asked", "", func(x *exchanged) { retoken(x, func(any) any { return aToken }) }},
	"gives a token of a no-go": {"token-not-of-a-refusal", "", func(x *exchanged) {
		retoken(x, func(given any) any {
			if given == nil {
				return aToken
			}
			return given
		})
	}},
	"gives one token to all": {"tokens-differ", "", func(x *exchanged) {
		retoken(x, func(given any) any {
			if given == nil {
				return nil
			}
			return object{"token": "toolvet-0123456789", "ttlMs": 1}
		})
	}},
	"gives tokens in no list":         {"tokens-of-a-batch", "", func(x *exchanged) { retokenOf(x, "validate_batch", func(any) any { return aToken }) }},
	"lets another call in":            {"token-of-another-call", "", letIn},
	"lets a forged token in":          {"token-forged", "", letIn},
	"lets calls in as often as asked": {"token-lets-in-one-call", "", letIn},
	"counts a dry run as a run":       {"target-does-not-run", "", func(x *exchanged) { countsDryRuns(x) }},
}

func orEmpty(v any) object { o, _ := v.(object); return o }

func deleteOf(x *exchanged, tool, member string) {
	if x.tool == tool {
		delete(x.result(), member)
	}
}

func proseOf(x *exchanged, tool string) {
	if content, ok := x.result()["content"].([]any); ok && x.tool == tool {
		content[0].(object)["text"] = "The call looks good."
	}
}

func changeStructure(x *exchanged) {
	if x.tool == "validate" {
		structured := maps.Clone(orEmpty(x.result()["structuredContent"]))
		structured["warnings"] = []any{"only here"}
		x.result()["structuredContent"] = structured
	}
}

func toText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what was JSON
	}
	return string(text)
}

func echo(v, arguments object) {
	v["errors"] = eachText(v["errors"], func(s string) string { return s + ", got " + toText(arguments) })
}

func eachText(list any, f func(string) string) []any {
	out := []any{}
	texts, _ := list.([]any)
	for _, s := range texts {
		out = append(out, f(s.(string)))
	}
	return out
}

func eachObject(list any, f func(object)) {
	objects, _ := list.([]any)
	for _, o := range objects {
		f(o.(object))
	}
}

func firstOf(list any) []any {
	all, _ := list.([]any)
	return all[:min(1, len(all))]
}

func failUnknown(x *exchanged, v object) {
	if strings.Contains(toText(v["errors"]), "no tool of this name") {
		x.result()["isError"] = true
	}
}

func reverse(v object) {
	list, _ := v["results"].([]any)
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	if len(list) == 3 {
		list[0], list[1] = list[1], list[0]
	}
}

const tokenKey = "io.github.toolvet/token"

var aToken = object{"token": "toolvet-0123456789abcdef", "ttlMs": 1000}

// retoken changes the token of a dry run.
func retoken(x *exchanged, f func(given any) any) { retokenOf(x, "validate", f) }

func retokenOf(x *exchanged, tool string, f func(given any) any) {
	if x.tool != tool || x.result() == nil {
		return
	}
	meta := maps.Clone(orEmpty(x.result()["_meta"]))
	if meta == nil {
		meta = object{}
	}
	if meta[tokenKey] = f(meta[tokenKey]); meta[tokenKey] == nil {
		delete(meta, tokenKey)
	}
	x.result()["_meta"] = meta
}

// letInWhere makes a call that was refused for a place look like one that ran.
func letInWhere(x *exchanged, place string) {
	if x.tool == "conformance_write" && strings.Contains(toText(x.result()), place) {
		x.answer["result"] = object{"content": []any{object{"type": "text", "text": "written"}}}
	}
}

// letIn makes a call that was refused for its token look like one that ran.
func letIn(x *exchanged) {
	if x.tool == "conformance_write" && strings.Contains(toText(x.result()), "the token ") {
		x.answer["result"] = object{"content": []any{object{"type": "text", "text": "written"}}}
	}
}

func passBatch(x *exchanged) {
	if x.tool == "validate_batch" && x.result()["isError"] == true {
		x.answer["result"] = object{"content": []any{object{"type": "text", "text": `{"valid":true,"errors":[],"warnings":[],"suggestions":[],"results":[]}`}}}
	}
}

func passLevels(x *exchanged) {
	if x.tool == "validate" && x.result()["isError"] == true {
		x.answer["result"] = object{"content": []any{object{"type": "text", "text": `{"valid":true,"errors":[],"warnings":[],"suggestions":[]}`}}}
	}
}

// countsDryRuns makes the fixture count a dry run: as though it had run the target.
func countsDryRuns(x *exchanged) {
	if x.tool == "conformance_count" {
		dryRuns++
		proseOf(x, "conformance_count")
		x.result()["content"].([]any)[0].(object)["text"] = strings.Repeat("1", dryRuns)
	}
}

var dryRuns int

// TestBrokenServers holds that each broken server is caught by the scenario for its flaw, and that the server without a flaw passes.
func TestBrokenServers(t *testing.T) {
	if len(flaws) < 120 {
		t.Errorf("only %d broken servers", len(flaws))
	}
	for name, f := range flaws {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			revision := f.revision
			if revision == "" {
				revision = "2025-06-18"
			}
			run := func(change func(*exchanged)) []kit.Result {
				r := &kit.Run{Dialer: breaker{middleware{}, change}, Revisions: []string{revision}, Only: []string{f.scenario}, Timeout: 30 * time.Second}
				results, err := r.Play(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return results
			}
			for _, r := range run(f.change) {
				if r.Status != kit.Failed && r.Status != kit.Advised {
					t.Errorf("%s: %s %s", r.Scenario.Name, r.Status, r.Why)
				}
				t.Log(r.Why)
			}
			for _, r := range run(func(*exchanged) {}) {
				if r.Status == kit.Failed {
					t.Errorf("without the flaw: %s: %s", r.Scenario.Name, r.Why)
				}
			}
		})
	}
}

// A breaker changes the answers of a server.
type breaker struct {
	upstream.Dialer
	change func(*exchanged)
}

func (b breaker) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	t, err := b.Dialer.Dial(ctx, stderr)
	if err != nil {
		return nil, err
	}
	in, toBreaker := io.Pipe()
	fromBreaker, out := io.Pipe()
	asked := make(chan object, 100)
	go func() { // what the kit sends
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var m object
			if json.Unmarshal(lines.Bytes(), &m) == nil && m["id"] != nil {
				asked <- m
			}
			if _, err := io.WriteString(t.Stdin(), lines.Text()+"\n"); err != nil {
				break
			}
		}
		_ = t.Stdin().Close()
	}()
	go func() { // what the server answers
		e := json.NewEncoder(out)
		lines := bufio.NewScanner(t.Stdout())
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var m object
			if json.Unmarshal(lines.Bytes(), &m) != nil {
				continue
			}
			x := &exchanged{answer: m}
			if m["id"] != nil && m["method"] == nil {
				x.request = <-asked
				x.method, _ = x.request["method"].(string)
				params, _ := x.request["params"].(object)
				if x.method == "tools/call" {
					x.tool, _ = params["name"].(string)
				}
			}
			b.change(x)
			for _, m := range append(x.more, x.answer) {
				if m != nil && e.Encode(m) != nil {
					return
				}
			}
		}
		_ = out.Close()
	}()
	return &broken{t, toBreaker, fromBreaker}, nil
}

type broken struct {
	upstream.Transport
	in  io.WriteCloser
	out io.ReadCloser
}

func (b *broken) Stdin() io.WriteCloser { return b.in }
func (b *broken) Stdout() io.ReadCloser { return b.out }
