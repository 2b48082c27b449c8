// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

// TestCompileErrors holds that all errors are reported at once, with their places.
func TestCompileErrors(t *testing.T) {
	t.Parallel()
	_, err := Compile([]Rule{
		{Name: "", When: "true"},
		{Name: "twice", When: "true"},
		{Name: "twice", Effect: 7, Tools: []string{"files:read", "files:[a]", "", ":read", "files:"}},
		{Name: "syntax", When: "1 +"},
		{Name: "misspelt", When: "session.sbject == 'ann' &&\n\tsession.roots.exists(r, r == 5)"},
		{Name: "untrusted", When: "session.client_name == 'x'"},
		{Name: "unknown", Tools: []string{"files:read"}, When: "user == 'ann'"},
		{Name: "no condition", When: "'a' + 'b'"},
		{Name: "maybe no condition", When: "args.deep"},
		{Name: "pattern", When: "args.path.matches('(')"},
		{Name: "made pattern", When: "glob(args.path, session.subject + '/*')"},
		{Name: "huge pattern", When: "args.path.matches('a{600}b{600}')"},
		{Name: "root", When: "within(args.path, '/srv/../etc')"},
		{Name: "bytes", When: "within(b'x', '/srv')"},
		{Name: "extension", When: "args.path.replace('a', 'b') == ''"},
		{Name: "fine", When: "true"},
	}, Limits{})
	want := `
rule "": name:1:1: is missing: reasons and logs name the rule
rule "twice": name:1:1: is given to two rules
rule "twice": effect:1:1: must be allow, ask or deny
rule "twice": tools:1:1: the pattern holds one of ? [ ] { } \: only * is special in a pattern
rule "twice": tools:1:1: the pattern is empty: give SERVER:TOOL, or * for every tool
rule "twice": tools:1:1: the pattern has nothing on one side of the colon: give SERVER:TOOL
rule "twice": tools:1:1: the pattern has nothing on one side of the colon: give SERVER:TOOL
rule "syntax": when:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 1 +
 | ...^
rule "misspelt": when:1:8: undefined field 'sbject': did you mean "subject"?
 | session.sbject == 'ann' &&
 | .......^
rule "misspelt": when:2:28: found no matching overload for '_==_' applied to '(string, int)'
 |  session.roots.exists(r, r == 5)
 | ...........................^
rule "untrusted": when:1:8: undefined field 'client_name'
 | session.client_name == 'x'
 | .......^
rule "unknown": when:1:1: undeclared reference to 'user'
 | user == 'ann'
 | ^
rule "no condition": when:1:1: a condition must be of type bool, and this is of type string: compare it, as in … == true
rule "maybe no condition": when:1:1: a condition must be of type bool, and this is of type dyn: compare it, as in … == true
rule "pattern": when:1:19: error parsing regexp: missing closing ): ` + "`(`" + `
 | args.path.matches('(')
 | ..................^
rule "made pattern": when:1:33: a pattern must be a literal: what a call or a session says could change what it means
 | glob(args.path, session.subject + '/*')
 | ................................^
rule "huge pattern": when:1:19: regex program size 1202 exceeds limit of 1000
 | args.path.matches('a{600}b{600}')
 | ..................^
rule "root": when:1:19: the second argument of within must be an absolute directory without . and .., empty steps or a slash at its end
 | within(args.path, '/srv/../etc')
 | ..................^
rule "bytes": when:1:7: found no matching overload for 'within' applied to '(bytes, string)'
 | within(b'x', '/srv')
 | ......^
rule "extension": when:1:18: undeclared reference to 'replace'
 | args.path.replace('a', 'b') == ''
 | .................^`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(strings.Split(strings.TrimPrefix(want, "\n"), "\n"), strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	var errs Errors
	var first *Error
	if !errors.As(err, &errs) || !errors.As(err, &first) || errs[5].Index != 2 || errs[5].Item != 3 {
		t.Errorf("the errors are not of the package's types, or do not know their place: %+v", errs)
	}
}

// TestTypes checks conditions against a tool's schema.
func TestTypes(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		`args.path == "x"`:                        "",
		`args.pth == "x"`:                         `when:1:5: undefined field 'pth': did you mean "path"?`,
		`args.path == 5`:                          `when:1:11: found no matching overload for '_==_' applied to '(string, int)'`,
		`args.path < 5`:                           `when:1:11: found no matching overload for '_<_' applied to '(string, int)'`,
		`has(args.pth)`:                           `undefined field 'pth'`,
		`args.kind + 1 == 2`:                      `no matching overload`,
		`args.ratio == 5`:                         `a double is written with a point, as 5.0`,
		`args.count == "5"`:                       `(int, string)`,
		`args.count.startsWith("x")`:              `no matching overload`,
		`args.deep`:                               "",
		`args.path`:                               `a condition must be of type bool, and this is of type string`,
		`args.any`:                                `a condition must be of type bool, and this is of type dyn`,
		`args.tags.exists(t, t == 5)`:             `(string, int)`,
		`args.ratios.exists(r, r == 0.5)`:         "",
		`args.pairs.exists(p, p == 5)`:            "",
		`args.limit == null`:                      "",
		`args.limit == "x"`:                       `(wrapper(int), string)`,
		`args.path == null`:                       `(string, null)`,
		`args.filter.owner == "x"`:                "",
		`args.filter.ownr == "x"`:                 `undefined field 'ownr': did you mean "owner"?`,
		`args.labels.anything == 5`:               "",
		`args.labels.anything == "x"`:             `(int, string)`,
		`args.free.x.y == 1`:                      "",
		`args.some.x == 1`:                        "",
		`args["x"] == 1 && "y" in args`:           "",
		`args[0] == 1`:                            `no matching overload`,
		`args.path in ["a", "b"]`:                 "",
		`args.path in [1, 2]`:                     `no matching overload`,
		`type(args.path) == string`:               "",
		"args.`max-size` > 5 && args.count > 1.5": "",
	} {
		s := mustCompile(t, Rule{Name: "r", Tools: []string{"files:read"}, When: when})
		errs := s.ForTool("files", wideTool(t)).Errors()
		if (len(errs) == 0) != (want == "") || want != "" && !strings.Contains(errs.Error(), want) {
			t.Errorf("%s: %v, want %q", when, errs, want)
		}
		dynamic := mustCompileOrNil(Rule{Name: "r", Tools: []string{"files:*"}, When: when})
		if dynamic != nil && dynamic.ForTool("files", wideTool(t)).Errors() != nil {
			t.Errorf("%s: a dynamic rule is checked against a schema", when)
		}
	}
}

func mustCompileOrNil(rules ...Rule) *Set {
	s, err := Compile(rules, Limits{})
	if err != nil {
		return nil
	}
	return s
}

// TestChangedDefinition holds that a rule is checked again when a tool's definition
// changes, and decides again when it is back.
func TestChangedDefinition(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, Rule{Name: "a", Effect: Allow, Tools: []string{"files:read"}, When: `args.path == "x"`})
	before := tool(t, `{"name": "read", "inputSchema": {"properties": {"path": {"type": "string"}}}}`)
	after := tool(t, `{"name": "read", "inputSchema": {"properties": {"file": {"type": "string"}}}}`)
	in := Input{Session: ann, Args: map[string]any{"path": "x"}}
	for _, tt := range []struct {
		tool    *call.Tool
		allowed bool
		message string
	}{
		{before, true, ""},
		{after, false, `the rule "a" no longer fits the tool's schema, so the call is refused`},
		{before, true, ""},
	} {
		p := s.ForTool("files", tt.tool)
		d := p.Evaluate(t.Context(), in)
		if d.Allowed != tt.allowed || !d.Allowed && d.Reasons[0].Message != tt.message || (p.Errors() == nil) != tt.allowed {
			t.Errorf("%s: %+v, errors %v", tt.tool.InputSchema, d, p.Errors())
		}
		if s.ForTool("files", tt.tool) != p {
			t.Error("the program is made again for the same definition")
		}
	}
	if s.ForTool("other", before).Evaluate(t.Context(), in).Allowed {
		t.Error("a rule of one server allows a call of another")
	}
}

// TestManyPrograms holds that a set forgets programs rather than grow.
func TestManyPrograms(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, Rule{Name: "a", Effect: Allow})
	for i := range maxPrograms + 10 {
		s.ForTool("files", &call.Tool{Name: strings.Repeat("x", i%100) + string(rune('a'+i/100))})
	}
	if n := len(s.programs); n > maxPrograms {
		t.Errorf("%d programs", n)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := manyRules(t, 20, "files:read")
	in := inputOf(t, `{"path": "/srv/data/ann/x"}`)
	tool := readTool(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if d := s.ForTool("files", tool).Evaluate(t.Context(), in); !d.Allowed {
					t.Errorf("%+v", d)
				}
			}
		})
	}
	group.Wait()
}
