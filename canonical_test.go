// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
)

// canonicalOf judges a call of a tool with a schema by a policy about the server s and its tool t.
func canonicalOf(t *testing.T, text, schema, arguments string, at toolvet.Point) toolvet.Verdict {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte(text), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer("s"))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := call.DecodeTool(fmt.Appendf(nil, `{"name":"t","inputSchema":%s}`, schema), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Server: "s", Name: "t", Tool: tool}
	if err := c.Read([]byte(arguments), call.Limits{}); err != nil {
		t.Fatal(err)
	}
	v := gate.Judge(t.Context(), c, at)
	if string(c.Raw) != arguments {
		t.Errorf("the call has other arguments now: %s", c.Raw)
	}
	return v
}

// TestCanonicalPath: a tool gets the path that was judged, behind links and "..".
func TestCanonicalPath(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "real"), 0o700), os.WriteFile(filepath.Join(dir, "real", "a b"), nil, 0o600), os.Symlink("real", filepath.Join(dir, "link")),
		os.Symlink("/etc", filepath.Join(dir, "out")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const schema = `{"type":"object","properties":{"path":{"type":"string"},"list":{"type":"array"}}}`
	demand := func(more string) string {
		return fmt.Sprintf("version: 1\npreset: none\nservers: {s: {tools: {t: {arguments: {path: {path: {base: %q, within: [%q], canonical: true%s}}, '/list/*': {path: {base: %q, canonical: true}}}}}}}\n", dir, dir, more, dir)
	}
	for _, test := range []struct{ policy, given, want string }{
		{demand(""), `{"path":"link/a b"}`, `{"path":"DIR/real/a b"}`},
		{demand(""), `{"path":"link/new/../file"}`, `{"path":"DIR/real/file"}`},
		{demand(""), `{"path":"DIR/real/a b"}`, ``},
		{demand(""), `{"n":1.50,"list":["link","x"],"path":"DIR//real"}`, `{"list":["DIR/real","DIR/x"],"n":1.50,"path":"DIR/real"}`},
		{demand(""), `{"path":"out/passwd"}`, `no-go`},
		{demand(""), `{"path":"../x"}`, `no-go`},
		{demand(", exists: true"), `{"path":"link/none"}`, `no-go`},
		{strings.ReplaceAll(demand(""), "canonical: true", "canonical: false"), `{"path":"link/a b"}`, ``},
		{"version: 1\npreset: none\nservers: {s: {url: 'http://192.0.2.1/mcp', tools: {t: {arguments: {path: {path: {base: /srv, canonical: true}}}}}}}\n", `{"path":"a"}`, `no-go`}, // its files are elsewhere
		{"version: 1\npreset: none\nservers: {s: {tools: {t: {arguments: {path: {path: {canonical: true}}}}}}}\n", `{"path":"a"}`, `no-go`},                                          // nobody knows where it starts
		{"version: 1\npreset: none\nservers: {s: {tools: {t: {arguments: {path: {path: {base: /srv, canonical: true}}}}, 't*': {arguments: {path: {path: {base: /usr, canonical: true}}}}}}}\n", `{"path":"a"}`, `no-go`},
	} {
		v := canonicalOf(t, test.policy, schema, strings.ReplaceAll(test.given, "DIR", dir), toolvet.PointProxy)
		got := strings.ReplaceAll(string(v.Arguments), dir, "DIR")
		if !v.Go {
			got += "no-go"
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s by %s (-want +got):\n%s%v", test.given, test.policy, diff, v)
		}
	}
}

// TestFillDefaults: the tool gets the defaults of its schema, which are judged like what the caller sent.
func TestFillDefaults(t *testing.T) {
	t.Parallel()
	const fills = "version: 1\npreset: none\nservers: {s: {tools: {'t*': {fill_defaults: true, arguments: {path: {path: {base: /srv, within: [/srv]}}}}}}}\n"
	const schema = `{"type":"object","properties":{
		"path":{"type":"string","default":"a"}, "n":{"type":"integer","default":10000000000000000001},
		"deep":{"type":"object","properties":{"x/y":{"default":null}}}, "ref":{"$ref":"#/$defs/r"}, "kept":{"type":"string"},
		"list":{"type":"array","items":{"$ref":"#/$defs/i"}}},
		"allOf":[{"properties":{"all":{"default":{"k":[1]}}}}],
		"$defs":{"r":{"default":"by reference"},"i":{"type":"object","properties":{"i":{"default":false}}},"loop":{"$ref":"#/$defs/loop"}}}`
	wide := "" // each refers to the next ten times
	for i := range 20 {
		wide += fmt.Sprintf(`"%d":{"allOf":[%s]},`, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"$ref":"#/$defs/%d"},`, i+1), 10), ","))
	}
	wide += `"20":{}`
	for _, test := range []struct{ policy, schema, given, want string }{
		{fills, schema, `{}`, `{"all":{"k":[1]},"n":10000000000000000001,"path":"a","ref":"by reference"}`},
		{fills, schema, `{"deep":{},"list":[{},{"i":true}],"all":1,"n":2,"path":"b","ref":null,"kept":"é<"}`,
			`{"all":1,"deep":{"x/y":null},"kept":"é\u003c","list":[{"i":false},{"i":true}],"n":2,"path":"b","ref":null}`},
		{fills, schema, `{"all":1,"n":2,"path":"b","ref":null}`, ``},
		{strings.Replace(fills, "fill_defaults: true, ", "", 1), schema, `{}`, ``},
		{fills, `{"type":"object","properties":{"path":{"type":"string","default":"/etc/passwd"}}}`, `{}`, `no-go`},
		{fills, `{"type":"object","properties":{"count":{"type":"integer","default":"three"}}}`, `{}`, `no-go`},
		{fills, `{"type":"object","properties":{"x":{"$ref":"#/$defs/loop"}},"$defs":{"loop":{"$ref":"#/$defs/loop"}}}`, `{}`, ``},
		{fills, `{"type":"object","properties":{"o":{"type":"object","default":{"l":[{}]},"properties":{"a":{"default":1},"l":{"items":{"properties":{"b":{"default":2}}}}}}}}`, `{}`, `{"o":{"a":1,"l":[{"b":2}]}}`},
		{fills, `{"type":"object","properties":{"l":{"items":{"properties":{"o":{"default":{},"properties":{"a":{"default":1}}}}}}}}`, `{"l":[{},{"o":{"a":2}},{}]}`, `{"l":[{"o":{"a":1}},{"o":{"a":2}},{"o":{"a":1}}]}`},
		{fills, `{"type":"object","properties":{"n":{"$ref":"#"},"d":{"default":1}}}`, `{"n":{"n":{"d":2}}}`, `{"d":1,"n":{"d":1,"n":{"d":2}}}`},
		{fills, `{"type":"object","properties":{"x":{"$ref":"#/$defs/0"}},"$defs":{` + wide + `}}`, `{"x":{}}`, `no-go`},
		{fills, `{"type":"object","properties":{"l":{"type":"array","items":{"properties":{"d":{"default":"` + strings.Repeat("x", 2000) + `"}}}}}}`, `{"l":[` + strings.Repeat("{},", 800) + `{}]}`, `no-go`},
		{fills, `{"type":"object","properties":{"l":{"type":"array","items":{"properties":{"d":{"default":1}}}}}}`, `{"l":[` + strings.Repeat("{},", 1000) + `{}]}`, `no-go`},
	} {
		for _, at := range []toolvet.Point{toolvet.PointProxy, toolvet.PointValidate} {
			v := canonicalOf(t, test.policy, test.schema, test.given, at)
			got := string(v.Arguments)
			if !v.Go {
				got += "no-go"
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%.200s with %.200s (-want +got):\n%s%v", test.given, test.schema, diff, v)
			}
			if len(v.Changes) > 0 != (v.Arguments != nil) {
				t.Errorf("%.200s: changes %v", test.given, v.Changes)
			}
		}
	}
}

// TestCanonicalInner: a call within another one gets its canonical values, too.
func TestCanonicalInner(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"tool":{"type":"string"},"arguments":{},"path":{"type":"string"},"n":{"default":7}}}`
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	definitions := filepath.Join(dir, "tools.json")
	if err := os.WriteFile(definitions, []byte(`{"tools":[{"name":"read","inputSchema":`+schema+`}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`version: 1
preset: none
servers:
  s:
    tools:
      t: {calls: {tool: /tool, arguments: /arguments, definitions: %q}}
      read: {fill_defaults: true, arguments: {path: {path: {base: %q, within: [%q], canonical: true}}}}
`, definitions, dir, dir)
	for given, want := range map[string]string{
		`{"tool":"read","arguments":{"path":"a/../b","n":1}}`: `{"arguments":{"n":1,"path":"DIR/b"},"tool":"read"} [/arguments/path]`,
		`{"tool":"read","arguments":{"path":"b"}}`:            `{"arguments":{"n":7,"path":"DIR/b"},"tool":"read"} [/arguments/n /arguments/path]`,
		`{"tool":"read","arguments":"{\"path\":\"b\"}"}`:      `{"arguments":"{\"n\":7,\"path\":\"DIR/b\"}","tool":"read"} [/arguments /arguments]`,
		`{"tool":"read"}`: `{"arguments":{"n":7},"tool":"read"} [/arguments/n]`,
		`{"tool":"read","arguments":{"path":"DIR/b","n":1}}`:      ` []`,
		`{"tool":"read","arguments":{"path":"out/passwd","n":1}}`: `no-go`,
		`{"tool":"read","arguments":"{\"path\":\"out/passwd\"}"}`: `no-go`,
	} {
		v := canonicalOf(t, text, schema, strings.ReplaceAll(given, "DIR", dir), toolvet.PointProxy)
		var places []string
		for _, c := range v.Changes {
			places = append(places, c.Pointer)
		}
		got := strings.ReplaceAll(string(v.Arguments), dir, "DIR") + fmt.Sprintf(" %v", places)
		if !v.Go {
			got = "no-go"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", given, diff, v)
		}
	}
}
