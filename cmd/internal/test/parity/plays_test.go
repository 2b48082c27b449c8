// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parity_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A play is what a client sends to every door.
type play struct {
	name     string
	messages []string // params of a tools/call, or whole messages; § stands before a tool's name
	batch    int      // the only message is a batch with so many requests, whose ids begin with 1
	unlisted bool     // the server does not list its tools
	dying    bool     // the server dies when it is asked for them
	rehearse bool     // calls can be rehearsed
	cancels  bool     // the client cancels the call while it runs
	leaves   bool     // the client goes away while the call runs
	policy   string   // added to policyText
	secret   string   // is in no answer; "" for nothing

	not     map[string]string // doors that cannot play it, and why
	differs map[string]string // doors whose answers cannot be the same, and why
	atOnce  bool              // records have no order
	nobody  bool              // it names no tool, so that the gateway cannot tell the server

	message string // all of the message of the JSON-RPC error that answers it; "": it is answered otherwise
	code    int    // its code

	ran   string // the tools that run, in their order
	holds string // part of the last answer
	kinds string // of the records, in their order: the verdict behind the kind
}

// hiding is p with a policy that hides the tool "denied"; no answer may have secret in it.
func (p play) hiding(secret string) play {
	p.name, p.policy, p.secret = p.name+" that is hidden", "visibility: allowed\n", secret
	return p
}

// order is a play of one call.
func order(name, arguments, ran, holds, kinds string) play {
	return play{name: name, messages: []string{`{"name":"§order","arguments":` + arguments + `}`}, ran: ran, holds: holds, kinds: kinds}
}

func good(name, arguments string) play {
	return order(name, arguments, "order", `"done"`, "call:go result:go")
}

func bad(name, arguments, holds string) play { return order(name, arguments, "", holds, "call:no-go") }

func of(name, tool, ran, holds, kinds string) play {
	return play{name: name, messages: []string{`{"name":"§` + tool + `","arguments":{}}`}, ran: ran, holds: holds, kinds: kinds}
}

// meta is a play of one call of a tool that calls another.
func meta(name, arguments, ran, holds, kinds string) play {
	return play{name: name, messages: []string{`{"name":"§call_tool","arguments":` + arguments + `}`}, ran: ran, holds: holds, kinds: kinds}
}

// dry is a dry run of a call.
func dry(name, tool, arguments, holds string) play {
	verdict := "no-go"
	if strings.Contains(holds, "true") {
		verdict = "go"
	}
	return play{name: "dry run of " + name, messages: []string{fmt.Sprintf(`{"name":"validate","arguments":{"tool":"§%s","arguments":%s}}`, tool, arguments)},
		holds: holds, kinds: "validate:" + verdict, differs: map[string]string{"upstream": "it keeps no verdicts, and so tells no life of one"}}
}

// A fault is one of arguments that cannot be read.
type fault struct {
	name, arguments string
	pointer, words  string // of the verdict
	code            int    // of the answer to a call
}

const invalidParams, noJSON = -32602, -32700

var faults = []fault{
	{"an array", `[]`, "", `"arguments" must be an object`, invalidParams},
	{"text", `"x"`, "", `"arguments" must be an object`, invalidParams},
	{"null", `null`, "", `"arguments" must be an object`, invalidParams},
	{"a key given twice", `{"path":"a.md","path":"b.md"}`, "/path", "is given twice (at byte 22)", invalidParams},
	{"a key given twice, with an escape", `{"path":"a.md","\u0070ath":"b.md"}`, "/path", "is given twice (at byte 27)", invalidParams},
	{"a key given twice in a list", `{"path":"a.md","tags":[1,{"x/y":1,"x/y":2}]}`, "/tags/1/x~1y", "is given twice (at byte 40)", invalidParams},
	{"half a surrogate", `{"path":"\ud800.md"}`, "/path", "has an unpaired UTF-16 surrogate escape, which is no character (at byte 19)", invalidParams},
	{"a number beyond doubles", `{"path":"a.md","count":1e999}`, "/count", "is a number outside the range of a double (about ±1.8e308) (at byte 28)", invalidParams},
	{"a long number", `{"path":"a.md","count":` + strings.Repeat("1", 2000) + `}`, "/count", "has a number of more than 1024 characters (at byte 2023)", invalidParams},
	{"U+0000 in a key", `{"path":"a.md","tags":[{"a\u0000":1}]}`, "/tags/0", "has a key with U+0000: readers in C end the key there (at byte 33)", invalidParams},
	{"nesting", `{"path":"a.md","x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
		"/x" + strings.Repeat("/0", 49) + "/…" + strings.Repeat("/0", 50), "nests deeper than 254 levels (at byte 272)", invalidParams},
	{"a bad encoding", "{\"path\":\"\xff.md\"}", "/path", "has bytes that are not valid UTF-8 (at byte 9)", noJSON},
	{"a comment", `{"path":"a.md"/*x*/}`, "", `"arguments" is refused: the JSON text has '/' where ',' or '}' is expected (at byte 14)`, noJSON},
}

// faultPlays are calls and dry runs with each of the faults.
func faultPlays() []play {
	var list []play
	for _, f := range faults {
		live, said := f.words, f.words
		if f.pointer != "" {
			live, said = fmt.Sprintf(`"arguments" is refused: %q %s`, f.pointer, f.words), f.pointer+": "+f.words
		}
		params := func(name string) string { return `{"name":"§order","arguments":` + name + `}` }
		call := unreadable("arguments with "+f.name, params(f.arguments))
		call.message, call.code = live, f.code
		single := dry("arguments with "+f.name, "order", f.arguments, said)
		batch := play{name: "a batch of dry runs, one of arguments with " + f.name, holds: said, kinds: "validate:go validate:no-go", atOnce: true, not: map[string]string{"upstream": "it has no batches"},
			messages: []string{`{"name":"validate_batch","arguments":{"calls":[{"tool":"§order","arguments":` + f.arguments + `},{"tool":"§order","arguments":{"path":"a.md"}}]}}`}}
		single.differs = nil // such a verdict is not kept anywhere
		for _, p := range []play{call, single, batch} {
			if f.name == "a comment" {
				p = p.without("mcpgate", "a line that is no JSON ends the SDK's session (package mcpgate)")
			}
			list = append(list, p)
		}
	}
	return list
}

// unreadable is a play whose arguments cannot be read.
func unreadable(name, params string) play {
	return play{name: name, messages: []string{params}, holds: `-32602`, kinds: "call:no-go"}.
		differing("upstream", "it has no messages that could be refused: the answer is a refusal of the call").
		without("schedule", "a job with such arguments is not made")
}

// unnamed is a play whose params are no call.
func unnamed(name, params string) play {
	return unreadable(name, params).without("upstream", "its params are those of a function").without("mcpgate", sdkReads)
}

// ofNobody is a play whose server the gateway cannot know.
func (p play) ofNobody() play {
	p.nobody = true
	return p
}

// with is p with an addition to the policy.
func (p play) with(policy string) play {
	p.policy = policy
	return p
}

// protocol is p with a policy that answers invalid calls with protocol errors.
func (p play) protocol() play {
	return p.with("errors: {invalid_calls: protocol}\n").
		differing("upstream", "it has no messages: the answer is the outcome of a call").
		differing("schedule", "a run has a reason and no JSON-RPC error")
}

func (p play) without(door, why string) play {
	not := map[string]string{door: why}
	for d, w := range p.not {
		not[d] = w
	}
	p.not = not
	return p
}

func (p play) differing(door, why string) play {
	differs := map[string]string{door: why}
	maps.Copy(differs, p.differs)
	p.differs = differs
	return p
}

const (
	inProcess = "its handlers run in the process, and give values of Go"
	sdkReads  = "the SDK reads the message first, and refuses it in its own words"
)

func plays1() []play {
	return []play{
		good("good", `{"path":"a.md","count":3}`),
		good("good, the least", `{"path":"a.md"}`),
		good("a number with a point that is whole", `{"path":"a.md","count":1.0}`),
		good("a number with an exponent", `{"path":"a.md","count":1e2}`),
		good("escapes in a string", `{"path":"\u0061.md"}`),
		good("all arguments", `{"path":"a.md","count":3,"mode":"fast","tags":["a"],"url":"https://93.184.215.14/"}`),
		bad("an argument is missing", `{}`, "/path"),
		bad("a wrong type", `{"path":3}`, "/path"),
		bad("a number as text", `{"path":"a.md","count":"3"}`, "without quotes"),
		bad("too small", `{"path":"a.md","count":0}`, "/count"),
		bad("not whole", `{"path":"a.md","count":1.5}`, "/count"),
		bad("not in the enumeration", `{"path":"a.md","mode":"Fast"}`, "/mode"),
		bad("an unknown argument", `{"path":"a.md","pth":"x"}`, "pth"),
		bad("a misspelt argument", `{"pth":"a.md"}`, "path"),
		bad("too many items", `{"path":"a.md","tags":["a","b","c","d"]}`, "/tags"),
		bad("null for an argument", `{"path":"a.md","tags":null}`, "/tags"),
		bad("a traversal", `{"path":"../../etc/passwd"}`, "refused"),
		bad("a NUL", `{"path":"a\u0000.md"}`, "refused"),
		bad("a NUL in a list", `{"path":"a.md","tags":["a\u0000"]}`, "NUL"),
		bad("a metadata address", `{"path":"a.md","url":"http://169.254.169.254/latest"}`, "refused"),
		bad("a rule says no", `{"path":"a.md","count":600}`, "small"),
		bad("a name in another case", `{"Path":"a.md"}`, "path"),
		of("a tool that is denied", "denied", "", "not-denied", "call:no-go"),
		of("a tool that the server does not list", "ordr", "", "did you mean the tool order?", "call:no-go"),
		of("another", "zzzz", "", "lists no tool of this name", "call:no-go"),
		of("a schema that does not compile", "broken_schema", "", "schema", "call:no-go"),
		{name: "no arguments", messages: []string{`{"name":"§loose"}`}, ran: "loose", holds: "done", kinds: "call:go result:go"},
		{name: "numbers that doubles do not hold", messages: []string{`{"name":"§loose","arguments":{"n":12345678901234567890}}`}, holds: "", kinds: "*"},
		{name: "a secret in the arguments", messages: []string{`{"name":"§loose","arguments":{"t":"` + token + `"}}`}, kinds: "*"},
		{name: "many arguments", messages: []string{`{"name":"§loose","arguments":{` + many(500) + `}}`}, ran: "loose", holds: "done", kinds: "call:go result:go"},
		bad("a marker of a withheld secret", `{"path":"[redacted:github-pat].md"}`, "/path: holds a marker"),
		{name: "no arguments where some are required", messages: []string{`{"name":"§order"}`}, holds: "/path: required property is missing", kinds: "call:no-go"},
		unnamed("no name", `{"arguments":{}}`).ofNobody(),
		unnamed("a name that is no text", `{"name":7}`).ofNobody(),
		unnamed("a key in another case", `{"name":"§order","Arguments":{}}`),
		unnamed("_meta that is no object", `{"name":"§order","arguments":{},"_meta":[]}`),
	}
}

func plays2() []play {
	return []play{
		of("a secret in the result", "leak", "leak", "redacted", "call:go result:go"),
		of("a secret as a name in the result", "leak_name", "leak_name", "redacted", "call:go result:go"),
		of("orders to the model", "inject", "inject", "take it for data", "call:go result:go"),
		of("a result by its schema", "typed", "typed", `"n":`, "call:go result:go"),
		of("a result against its schema", "mistyped", "mistyped", "", "*"),
		of("the tool says that it failed", "fail", "fail", "no such order", "call:go result:go"),
		of("digits in the result", "digits", "digits", "12345678901234567890", "call:go result:go"),
		of("an error of the server", "error", "error", "out of orders", "call:go result:go"),
		of("invalid params, says the server", "error_params", "error_params", "-32602", "call:go result:go").
			differing("schedule", "a run has a reason and no JSON-RPC error"),
		of("invalid params, for the model", "error_params", "error_params", "the order must be positive", "call:go result:go").with("errors: {invalid_params: tool}\n"),
		of("another error of the server, for the model", "error", "error", "-32050", "call:go result:go").with("errors: {invalid_params: tool}\n").
			differing("schedule", "a run has a reason and no JSON-RPC error"),
		bad("a wrong type, by protocol error", `{"path":3}`, "-32602").protocol(),
		of("an unknown tool, by protocol error", "ordr", "", "-32602", "call:no-go").protocol(),
		bad("a rule says no, and not by protocol error", `{"path":"a.md","count":600}`, "small").with("errors: {invalid_calls: protocol}\n"),
		of("a secret in an error", "error_leak", "error_leak", "redacted", "call:go result:go"),
		of("a result that is too deep", "deep", "deep", "is withheld", "call:go result:no-go").without("mcpgate", inProcess),
		of("a result that is no JSON", "garbage", "garbage", "is withheld", "call:go result:no-go").without("mcpgate", inProcess),
		of("a secret beside a _meta that is no object", "odd_meta", "odd_meta", "is withheld", "call:go result:no-go").without("mcpgate", inProcess),
		of("two results", "twice", "twice", "is withheld", "call:go result:no-go").without("mcpgate", inProcess),
		of("the server dies", "die", "die", "has no result", "call:go result:go").without("mcpgate", inProcess),
		{name: "a cancelled call", messages: []string{`{"name":"§sleep","arguments":{}}`}, cancels: true, ran: "sleep", kinds: "*",
			not: map[string]string{"http": "the fake server has no sessions, so that a cancellation has nowhere to go"}},
		{name: "a client that goes away", messages: []string{`{"name":"§sleep","arguments":{}}`}, leaves: true, ran: "sleep", kinds: "call:go result:go"},
		{name: "a limit", messages: []string{`{"name":"§counted","arguments":{}}`, `{"name":"§counted","arguments":{}}`, `{"name":"§counted","arguments":{}}`},
			ran: "counted counted", holds: "too many calls", kinds: "call:go result:go call:go result:go call:no-go"},
		{name: "the server does not list its tools", unlisted: true, messages: []string{`{"name":"§order","arguments":{"path":"a.md"}}`}, holds: "-32603", kinds: "call:no-go",
			not: map[string]string{"mcpgate": "the SDK's own listing does not fail", "schedule": "the dry run before the run fails"}},
		{name: "the server dies when it is asked for its tools", dying: true, messages: []string{`{"name":"§order","arguments":{"path":"a.md"}}`}, holds: "could not be listed", kinds: "call:no-go",
			not: map[string]string{"mcpgate": inProcess, "schedule": "the dry run before the run fails"}},
		{name: "a rehearsal of nothing", nobody: true, rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"calls":[]}}`}, holds: "expected 1 to 20 items", kinds: "call:no-go"},
		{name: "a rehearsal of what is no call", nobody: true, rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"calls":[{"tool":7}]}}`}, holds: "refused", kinds: "call:no-go"},
		{name: "a rehearsal", rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"tool":"§order","arguments":{"path":"a.md"}}}`}, holds: "would run order", kinds: "validate:go"},
		{name: "a rehearsal of two calls", rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"calls":[{"tool":"§order","arguments":{"path":"a.md"}},{"tool":"§loose","arguments":{}}]}}`},
			holds: "redacted", kinds: "validate:go validate:go"},
		{name: "a rehearsal of a bad call", rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"tool":"§order","arguments":{}}}`}, holds: "/path", kinds: "validate:no-go"},
		{name: "a rehearsal of a tool that is not there", rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"tool":"§ordr","arguments":{}}}`}, holds: "order", kinds: "validate:no-go"},
		{name: "canonical values", messages: []string{`{"name":"§canon","arguments":{"path":"no//such/../a.md","files":[{"name":"./b","depth":1},{"name":"/srv/data/c"}]}}`},
			ran: `canon{"files":[{"depth":1,"name":"/srv/data/b"},{"depth":3,"name":"/srv/data/c"}],"mode":"fast","path":"/srv/data/no/a.md"}`, holds: "done", kinds: "call:go result:go"},
		{name: "values that are canonical", messages: []string{`{"name":"§canon","arguments":{"path":"/srv/data/a.md","mode":"slow"}}`},
			ran: `canon{"path":"/srv/data/a.md","mode":"slow"}`, holds: "done", kinds: "call:go result:go"},
		{name: "no canonical values", messages: []string{`{"name":"§canon","arguments":{"path":"../a.md"}}`}, holds: "/path", kinds: "call:no-go"},
		meta("a call within a call", `{"name":"order","arguments":{"path":"a.md"}}`, "call_tool", "done", "call:go result:go"),
		meta("a bad call within a call", `{"name":"order","arguments":{"path":"../../etc/passwd"}}`, "", "/arguments/path", "call:no-go"),
		meta("a bad call within a call, as text", `{"name":"order","arguments":"{\"path\":7}"}`, "", "/arguments", "call:no-go"),
		meta("a denied call within a call", `{"name":"denied","arguments":{}}`, "", "not-denied", "call:no-go"),
		meta("an unknown call within a call", `{"name":"ordr","arguments":{}}`, "", "lists no tool", "call:no-go"),
		dry("a bad call within a call", "call_tool", `{"name":"order","arguments":{}}`, `"valid":false`),
		dry("a good call", "order", `{"path":"a.md"}`, `"valid":true`),
		dry("a bad call", "order", `{}`, `"valid":false`),
		dry("a denied call", "denied", `{}`, `"valid":false`),
		dry("a traversal", "order", `{"path":"../../etc/passwd"}`, `"valid":false`),
		dry("a tool that is not there", "ordr", `{}`, `"valid":false`),
		dry("a marker of a withheld secret", "order", `{"path":"[redacted:github-pat].md"}`, "/path: holds a marker"),
		{name: "a dry run without arguments", messages: []string{`{"name":"validate","arguments":{"tool":"§order"}}`}, holds: "/path: required property is missing", kinds: "validate:no-go",
			differs: map[string]string{"upstream": "it keeps no verdicts, and so tells no life of one"}},
		{name: "a rehearsal without arguments", rehearse: true, messages: []string{`{"name":"rehearse","arguments":{"tool":"§loose"}}`}, holds: "would run loose", kinds: "validate:go"},
		dry("a call with a limit", "counted", `{}`, `"valid":true`),
		{name: "a dry run of nothing", nobody: true, messages: []string{`{"name":"validate","arguments":{}}`}, holds: "refused", kinds: "validate:no-go", not: map[string]string{"upstream": "its arguments are those of a function"}},
		{name: "a dry run with a level that there is not", nobody: true, messages: []string{`{"name":"validate","arguments":{"tool":"§order","arguments":{},"levels":["deep"]}}`}, holds: "refused", kinds: "validate:no-go",
			not: map[string]string{"upstream": "it takes all levels"}},
		{name: "a batch of dry runs", messages: []string{`{"name":"validate_batch","arguments":{"calls":[{"tool":"§order","arguments":{"path":"a.md"}},{"tool":"§order","arguments":{}}]}}`},
			holds: `"valid":false`, kinds: "*", atOnce: true, not: map[string]string{"upstream": "it has no batches"}},
		{name: "a batch of no dry runs", nobody: true, messages: []string{`{"name":"validate_batch","arguments":{"calls":[]}}`}, holds: "refused", kinds: "validate:no-go", not: map[string]string{"upstream": "it has no batches"}},
		{name: "a JSON-RPC batch", batch: 2, atOnce: true, messages: []string{
			`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"§order","arguments":{"path":"a.md"}}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"§denied","arguments":{}}}]`},
			ran: "order", kinds: "*",
			not: map[string]string{"upstream": "it has no messages", "mcpgate": "the SDK takes batches of 2025-03-26 alone",
				"http": "the fake server takes none", "front": "2025-11-25 has none over HTTP"}},
		{name: "a call without an id", messages: []string{`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"§order","arguments":{"path":"a.md"}}}`, `{"name":"§order","arguments":{"path":"a.md"}}`},
			ran: "order", holds: `"done"`, kinds: "call:no-go call:go result:go", not: map[string]string{"upstream": "it has no messages", "mcpgate": "the SDK drops it"}},
		of("a call of a tool", "denied", "", "", "call:no-go").hiding("not-denied"),
		of("a name like that of a tool", "denid", "", "", "call:no-go").hiding("denied"),
		dry("a tool", "denied", `{}`, `"valid":false`).hiding("not-denied"),
		dry("a name like that of a tool", "denid", `{}`, `"valid":false`).hiding("denied"),
		{name: "a call and another", messages: []string{`{"name":"§order","arguments":{"path":"a.md"}}`, `{"name":"§order","arguments":{}}`, `{"name":"§leak","arguments":{}}`},
			ran: "order leak", holds: "redacted", kinds: "call:go result:go call:no-go call:go result:go"},
	}
}

var plays = withReasons(slices.Concat(plays1(), plays2(), faultPlays(), requestPlays()))

// noRehearsals are why some doors do not rehearse.
func withReasons(list []play) []play {
	for i := range list {
		if list[i].rehearse {
			list[i].not = map[string]string{"upstream": "it offers no tools of its own", "mcpgate": "a server rehearses nothing of itself"}
		}
	}
	return list
}

func many(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"a%d":%d`, i, i)
	}
	return strings.Join(names, ",")
}

// expect holds what came of a play against what it says of itself, so that doors which are all
// wrong are not right.
func (p *play) expect(t *testing.T, d door, got *played) {
	t.Helper()
	if ran := strings.Join(got.ran, " "); p.ran != "" && ran != p.ran || p.ran == "" && p.kinds != "*" && ran != "" {
		t.Errorf("%s: %q ran, want %q", d.name, ran, p.ran)
	}
	var kinds []string
	for _, r := range got.records {
		verdict, _ := r["verdict"].(string)
		kinds = append(kinds, fmt.Sprintf("%s:%s", r["kind"], verdict))
	}
	if have := strings.Join(kinds, " "); p.kinds != "*" && have != p.kinds {
		t.Errorf("%s: the records are %q, want %q", d.name, have, p.kinds)
	}
	if p.cancels || p.leaves || p.differs[d.name] != "" {
		return
	}
	answer := got.answers[fmt.Sprint(max(p.batch, len(p.messages)))]
	if m, _ := answer.(map[string]any); p.message != "" {
		if e, _ := m["error"].(map[string]any); e["message"] != p.message || fmt.Sprint(e["code"]) != fmt.Sprint(p.code) {
			t.Errorf("%s: the answer is %v, want the error %d %s", d.name, answer, p.code, p.message)
		}
		return
	}
	if d.jobs && answer == nil { // a run that failed has a reason
		return
	}
	last := fmt.Sprint(answer)
	if text := strings.ReplaceAll(fmt.Sprintf("%q", p.holds), `\"`, ""); !strings.Contains(strings.ReplaceAll(last, `"`, ""), strings.Trim(strings.ReplaceAll(text, `:`, ":"), `"`)) {
		t.Errorf("%s: the answer is %s, want %s in it", d.name, last, p.holds)
	}
}
