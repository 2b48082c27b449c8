// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

// decide evaluates rules about a call of the tool "read" of the server "files" by ann.
func decide(tb testing.TB, arguments string, rules ...Rule) Decision {
	tb.Helper()
	return mustCompile(tb, rules...).ForTool("files", wideTool(tb)).Evaluate(tb.Context(), inputOf(tb, arguments))
}

func inputOf(tb testing.TB, arguments string) Input {
	return Input{Session: ann, Server: "files", Tool: "read", Args: decode(tb, arguments),
		Now: time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC)}
}

// wideTool declares an argument of each kind.
func wideTool(tb testing.TB) *call.Tool {
	return tool(tb, `{"name": "read", "inputSchema": {"type": "object", "properties": {
		"path": {"type": "string"},
		"kind": {"enum": ["a", "b"]},
		"count": {"type": "integer"},
		"ratio": {"type": "number"},
		"deep": {"type": "boolean"},
		"tags": {"type": "array", "items": {"type": "string"}},
		"ratios": {"type": "array", "items": {"type": "number"}},
		"pairs": {"type": "array", "prefixItems": [{"type": "string"}]},
		"limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
		"name": {"type": ["string", "null"]},
		"in": {"type": "string"},
		"max-size": {"type": "integer"},
		"filter": {"type": "object", "properties": {"owner": {"type": "string"}}},
		"labels": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
		"free": {"type": "object"},
		"some": {"$ref": "#/$defs/x"},
		"any": {}}}}`)
}

// TestConditions evaluates conditions as a typed allow rule and as a dynamic one. Both must agree
// unless a case says otherwise.
func TestConditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		arguments, when string
		want            bool
	}{
		{`{"path": "/a/b"}`, `args.path == "/a/b"`, true},
		{`{"path": "/a/b"}`, `args.path.startsWith("/b")`, false},
		{`{"path": "/a/b"}`, `args.path in ["/a", "/a/b"]`, true},
		{`{"path": "/a/b"}`, `args["path"] == "/a/b"`, true},
		{`{"path": "/a/b"}`, `"path" in args && !("kind" in args)`, true},
		{`{"path": "/a/b"}`, `has(args.path) && !has(args.kind)`, true},
		{`{"other": 5}`, `args["other"] == 5`, true},
		{`{"kind": "a"}`, `args.kind == "a"`, true},
		{`{"count": 5}`, `args.count == 5 && args.count < 5.5`, true},
		{`{"count": 5.0}`, `args.count == 5`, true},
		{`{"count": 5e0}`, `args.count <= 5`, true},
		{`{"count": -9223372036854775808}`, `args.count < 0`, true},
		{`{"count": 9223372036854775807}`, `args.count > 9223372036854775806`, true},
		{`{"ratio": 5}`, `args.ratio == 5.0 && args.ratio < 6`, true},
		{`{"ratio": 0.1}`, `args.ratio == 0.1`, true},
		{`{"ratio": 9007199254740992}`, `args.ratio <= 9007199254740992.0`, true},
		{`{"ratios": [1, 2.5]}`, `args.ratios.all(x, x >= 1.0)`, true},
		{`{"ratios": [1, 2.5]}`, `args.ratios[1] == 2.5 && size(args.ratios) == 2`, true},
		{`{"deep": true}`, `args.deep == true`, true},
		{`{"tags": ["a", "b"]}`, `args.tags.exists(t, t == "b") && "a" in args.tags`, true},
		{`{"tags": []}`, `args.tags.exists(t, true)`, false},
		{`{"pairs": ["a", 5]}`, `args.pairs[1] == 5`, true},
		{`{"limit": null}`, `args.limit == null`, true},
		{`{"limit": 7}`, `args.limit != null && args.limit == 7`, true},
		{`{"name": "x"}`, `args.name == "x"`, true},
		{`{"name": null}`, `args.name == "x"`, false},
		{`{"in": "x"}`, "args.`in` == 'x'", true},
		{`{"max-size": 6}`, "args.`max-size` > 5", true},
		{`{"filter": {"owner": "ann"}}`, `args.filter.owner == session.subject`, true},
		{`{"filter": {}}`, `has(args.filter.owner)`, false},
		{`{"filter": {"x": 1}}`, `dyn(args.filter)["x"] == 1`, true},
		{`{"filter": {"owner": "ann"}}`, `dyn(args.filter) == {"owner": "ann"}`, true},
		{`{"labels": {"a": "x", "b": 5}}`, `args.labels.a == "x" && args.labels.b == 5`, true},
		{`{"free": {"x": {"y": [1, "z"]}}}`, `args.free.x.y[1] == "z"`, true},
		{`{"some": 5}`, `args.some == 5`, true},
		{`{"any": 18446744073709551615}`, `args.any == 18446744073709551615u`, true},
		{`{"any": 5}`, `args.any == 5.0`, true},
		{`{"any": null}`, `args.any == null`, true},

		{`{}`, `session.subject == "ann" && session.transport == "stdio"`, true},
		{`{}`, `session.claims.role in ["reader", "writer"]`, true},
		{`{}`, `has(session.claims.team)`, false},
		{`{"path": "/home/ann/x"}`, `session.roots.exists(r, within(args.path, r))`, true},
		{`{}`, `has(session.client_address) || has(session.traceparent) || has(session.protocol_version)`, false},
		{`{}`, `server.name == "files" && tool.name == "read"`, true},
		{`{}`, `now.getHours("Europe/Berlin") == 0 && now.getDayOfWeek() == 6`, true},
		{`{}`, `now > timestamp("2026-01-01T00:00:00Z") && now - timestamp("2026-11-21T23:00:00Z") == duration("30m")`, true},

		{`{"path": "https://Example.ORG.:8443/x"}`, `host(args.path) == "example.org"`, true},
		{`{"path": "a/b/c.txt"}`, `glob(args.path, "a/**.txt") && !glob(args.path, "a/*.txt")`, true},
		{`{"path": "README.md"}`, `args.path.lowerAscii().matches("^[a-z]+[.]md$")`, true},
		{`{"path": "a@b"}`, `args.path.split("@")[1] == "b"`, true},
		{`{"free": {"x": [[{"y": 1}], {"z": {"y": {"y": 2}}}]}}`, `nested(args.free, "y").size() == 3`, true},
		{`{"free": {"x": ["y", {"Y": "y"}]}}`, `nested(args.free, "y").size() == 0`, true},
		{`{"any": [{"from": "a"}, {"to": {"from": "b"}}]}`, `nested(args.any, "from") == ["a", "b"]`, true},
		{`{"any": [{"from": "a"}], "free": {"from": 1}}`, `nested([args.any, args.free], "from").size() == 2 && nested(args, "free").size() == 1`, true},
		{`{"any": 5}`, `nested(args.any, "y").size() == 0`, true},
		{`{"path": "10.1.2.3"}`, `cidr("10.0.0.0/8").containsIP(args.path)`, true},
	} {
		for _, tools := range [][]string{{"files:read"}, {"files:*"}} {
			d := decide(t, tt.arguments, Rule{Name: "r", Effect: Allow, Tools: tools, When: tt.when})
			if d.Allowed != tt.want || failed(d) != nil {
				t.Errorf("%s of %s with %v: %t, %v", tt.when, tt.arguments, tools, d.Allowed, failed(d))
			}
		}
	}
}

// failed is why the first rule that failed did.
func failed(d Decision) error {
	for _, r := range d.Reasons {
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
}

func TestDecide(t *testing.T) {
	t.Parallel()
	allow := func(name, when string) Rule { return Rule{Name: name, Effect: Allow, When: when} }
	deny := func(name, when string) Rule { return Rule{Name: name, Effect: Deny, When: when} }
	observe := func(r Rule) Rule { r.Observe = true; return r }
	over := func(tools string, r Rule) Rule { r.Tools = []string{tools}; return r }
	for _, tt := range []struct {
		name    string
		rules   []Rule
		allowed bool
		reasons string // their rules and messages in short
	}{
		{"no rules", nil, true, ""},
		{"only denials, none matches", []Rule{deny("d", "false")}, true, ""},
		{"only denials of others", []Rule{over("files:write", deny("d", ""))}, true, ""},
		{"denied", []Rule{deny("d", "true")}, false, "d refuses"},
		{"denied twice", []Rule{deny("d", ""), deny("e", "true")}, false, "d refuses, e refuses"},
		{"allowed", []Rule{allow("a", "true")}, true, ""},
		{"allowed without a condition", []Rule{allow("a", "")}, true, ""},
		{"allowed by one of two", []Rule{allow("a", "false"), allow("b", "true")}, true, ""},
		{"allowed by none", []Rule{allow("a", "false"), allow("b", "false")}, false, "a silent, b silent"},
		{"denied and allowed", []Rule{deny("d", "true"), allow("a", "true")}, false, "d refuses"},
		{"allowed and denied", []Rule{allow("a", "true"), deny("d", "true")}, false, "d refuses"},
		{"allowed is another tool", []Rule{over("files:write", allow("a", ""))}, false, "- nothing allows"},
		{"allowed is another server's", []Rule{over("web:*", allow("a", ""))}, false, "- nothing allows"},
		{"allowed, and another rule breaks", []Rule{allow("a", "true"), allow("b", "1 / 0 == 1")}, false, "b broken"},
		{"broken, then allowed", []Rule{allow("b", "1 / 0 == 1"), allow("a", "true")}, false, "b broken"},

		{"observed denial", []Rule{observe(deny("d", "true"))}, true, "d (refuses)"},
		{"observed denial that does not match", []Rule{observe(deny("d", "false"))}, true, ""},
		{"observed and broken", []Rule{observe(deny("d", "1 / 0 == 1"))}, true, "d (broken)"},
		{"observed denial, allowed", []Rule{allow("a", ""), observe(deny("d", "true"))}, true, "d (refuses)"},
		{"observed allowance allows nothing", []Rule{allow("a", "false"), observe(allow("b", "true"))}, false, "a silent, b (allows)"},
		{"observed allowance does not override", []Rule{deny("d", ""), observe(allow("b", "true"))}, false, "d refuses"},
		{"observed allowance that matches", []Rule{observe(allow("b", "true"))}, true, ""},
		{"observed allowance alone", []Rule{observe(allow("b", "false"))}, true, "b (silent)"},
		{"observed allowance of another tool", []Rule{over("files:write", observe(allow("b", "")))}, true, "- (nothing allows)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := decide(t, `{}`, tt.rules...)
			if got := inShort(d.Reasons); d.Allowed != tt.allowed || got != tt.reasons {
				t.Errorf("allowed %t, reasons %q; want %t, %q", d.Allowed, got, tt.allowed, tt.reasons)
			}
		})
	}
}

// inShort is a word for each reason, in parentheses if it is observed.
func inShort(reasons []Reason) string {
	var list []string
	for _, r := range reasons {
		word := "?"
		for part, w := range map[string]string{
			"refuses the call": "refuses", "would refuse the call": "refuses",
			"does not allow": "silent", "would not allow": "silent", "would allow": "allows",
			"could not be evaluated": "broken", "no rule allows": "nothing allows", "looks at": "broken",
		} {
			if strings.Contains(r.Message, part) {
				word = w
			}
		}
		if r.Observed {
			word = "(" + word + ")"
		}
		name := r.Rule
		if name == "" {
			name = "-"
		}
		list = append(list, name+" "+word)
	}
	return strings.Join(list, ", ")
}

func TestReasons(t *testing.T) {
	t.Parallel()
	d := decide(t, `{}`,
		Rule{Name: "office", Effect: Allow, When: "false", Message: "only in office hours", Suggestion: "try after 9:00"},
		Rule{Name: "reads", Effect: Allow, Tools: []string{"files:read"}, When: `args.path == ""`, Observe: true})
	want := []Reason{
		{Rule: "office", Message: `the rule "office" does not allow the call: only in office hours`, Suggestion: "try after 9:00"},
		{Rule: "reads", Message: `the rule "reads" looks at the argument "path", which the call does not give; it only observes`, Suggestion: `give "path"`, Observed: true, Err: d.Reasons[1].Err},
	}
	if diff := cmp.Diff(want, d.Reasons, cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestManySilentRules(t *testing.T) {
	t.Parallel()
	var rules []Rule
	for _, name := range strings.Split("abcdefghijkl", "") {
		rules = append(rules, Rule{Name: name, Effect: Allow, When: "false"})
	}
	d := decide(t, `{}`, rules...)
	if len(d.Reasons) != maxReasons+1 || d.Reasons[maxReasons].Message != "4 more rules do not allow the call" {
		t.Errorf("reasons: %+v", d.Reasons)
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, server, tool string
		deny, allow           bool
	}{
		{"files:read", "files", "read", true, true},
		{"files:read", "files", "reader", false, false},
		{"files:read", "web", "read", false, false},
		{"files:read", "", "read", true, false}, // a server without a name may be any
		{"*:read", "", "read", true, true},
		{"read", "", "read", true, true},
		{"read", "web", "read", true, true},
		{"read_*", "web", "read_file", true, true},
		{"*", "web", "a/b:c", true, true},
		{"*:*", "web", "a/b:c", true, true},
		{"files:*", "files", "org/read", true, true},
		{"files:a*b*c", "files", "a-b-c", true, true},
		{"files:a*b*c", "files", "ac", false, false},
		{"files:a*a", "files", "a", false, false},
		{"files:*_file_*", "files", "read_file_x", true, true},
		{"files:*_file_*", "files", "read_fil_x", false, false},
		{"f*:r", "files", "r", true, true},
		{"files:a:b", "files", "a:b", true, true},
	} {
		p, fault := parsePattern(tt.pattern)
		if fault != "" {
			t.Errorf("%q %s", tt.pattern, fault)
			continue
		}
		if deny, allow := p.covers(Deny, tt.server, tt.tool), p.covers(Allow, tt.server, tt.tool); deny != tt.deny || allow != tt.allow {
			t.Errorf("%q covers %q of %q: deny %t, allow %t", tt.pattern, tt.tool, tt.server, deny, allow)
		}
	}
}

func TestDynamic(t *testing.T) {
	t.Parallel()
	for want, lists := range map[bool][][]string{
		false: {{"files:read"}, {"read"}},
		true:  {nil, {"*"}, {"files:*"}, {"*:read"}, {"files:read", "files:write"}},
	} {
		for _, tools := range lists {
			if r := (Rule{Tools: tools}); r.Dynamic() != want {
				t.Errorf("a rule over %q: dynamic %t", tools, !want)
			}
		}
	}
}
