// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

func tool(t testing.TB, text string) *call.Tool {
	t.Helper()
	decoded, err := call.DecodeTool([]byte(text), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func catalog(t testing.TB, texts ...string) *call.Catalog {
	t.Helper()
	var tools []*call.Tool
	for _, text := range texts {
		tools = append(tools, tool(t, text))
	}
	return call.NewCatalog(tools)
}

// lockOf is a lock that has accepted the tools of the server "files".
func lockOf(t testing.TB, texts ...string) *Lock {
	t.Helper()
	var empty Lock
	return empty.Accept("files", empty.Compare("files", catalog(t, texts...)))
}

const readFile = `{"name": "read", "description": "Read a file.", "inputSchema": {"type": "object", "properties":
	{"path": {"type": "string", "default": "."}, "head": {"maximum": 1}, "null": {}}, "required": ["path"]}}`

// told are changes as a line each.
func told(changes []*Change) []string {
	lines := []string{}
	for _, c := range changes {
		line := c.Tool + " " + c.Kind.String()
		for _, f := range c.Fields {
			line += fmt.Sprintf(" %s:%s>%s", f.Pointer, compact(f.Before), compact(f.After))
		}
		lines = append(lines, line)
	}
	return lines
}

func compact(raw []byte) string {
	return strings.Join(strings.Fields(string(raw)), "")
}

// TestCompare holds which differences count as a change of a definition.
func TestCompare(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, want string }{ // old and new are replaced in readFile
		"nothing":           {"", "", ""},
		"order of keys":     {`"type": "string", "default": "."`, `"default": ".", "type": "string"`, ""},
		"spelling":          {`"Read a file."`, `"\u0052ead a\u0020file."`, ""},
		"1.0":               {`{"maximum": 1}`, `{"maximum": 1.0}`, ""},
		"another number":    {`{"maximum": 1}`, `{"maximum": 1.0000000000000000001}`, "/inputSchema/properties/head/maximum:1>1.0000000000000000001"},
		"number to text":    {`{"maximum": 1}`, `{"maximum": "1"}`, `/inputSchema/properties/head/maximum:1>"1"`},
		"default":           {`"default": "."`, `"default": "/"`, `/inputSchema/properties/path/default:".">"/"`},
		"hidden":            {"a file.", "a\u200b file.", `/description:"Readafile.">"Reada\u200bfile."`},
		"tags":              {"a file.", "a file.\U000e0041", `/description:"Readafile.">"Readafile.\udb40\udc41"`},
		"white space":       {"a file.", "a file. ", `/description:"Readafile.">"Readafile."`},
		"order of a list":   {`["path"]`, `["path", "head"]`, `/inputSchema/required:["path"]>["path","head"]`},
		"null added":        {`"null": {}`, `"null": {"default": null}`, `/inputSchema/properties/null/default:>null`},
		"null to absent":    {`"null": {}`, `"other": {}`, `/inputSchema/properties/null:{}> /inputSchema/properties/other:>{}`},
		"annotations":       {`"name"`, `"annotations": {"readOnlyHint": true}, "name"`, `/annotations:>{"readOnlyHint":true}`},
		"title":             {`"name"`, `"title": "x", "name"`, `/title:>"x"`},
		"_meta":             {`"name"`, `"_meta": {"a/b": 1}, "name"`, `/_meta:>{"a/b":1}`},
		"an unknown member": {`"name"`, `"prompt": "obey", "name"`, `/prompt:>"obey"`},
		"outputSchema":      {`"name"`, `"outputSchema": {"type": "object"}, "name"`, `/outputSchema:>{"type":"object"}`},
		"icons":             {`"name"`, `"icons": [], "name"`, `/icons:>[]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := readFile
			if tt.old != "" {
				now = strings.Replace(readFile, tt.old, tt.new, 1)
				if now == readFile {
					t.Fatal("the case changes nothing")
				}
			}
			want := []string{}
			if tt.want != "" {
				want = append(want, "read changed "+tt.want)
			}
			lock := lockOf(t, readFile)
			changes := lock.Compare("files", catalog(t, now))
			if diff := cmp.Diff(want, told(changes)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c := lock.Verify("files", tool(t, now)); (c != nil) != (tt.want != "") {
				t.Errorf("Verify: %v", c)
			}
			if left := lock.Accept("files", changes).Compare("files", catalog(t, now)); len(left) > 0 {
				t.Errorf("accepted, and yet: %v", told(left))
			}
		})
	}
}

func TestCompareTools(t *testing.T) {
	t.Parallel()
	lock := lockOf(t, `{"name": "a"}`, `{"name": "b"}`, `{"name": "c"}`, `{"name": "d"}`)
	listed := catalog(t, `{"name": "new"}`, `{"name": "d", "inputSchema": {"a": 1, "a": 2}}`, `{"name": "c", "x": 1}`, `{"name": "c", "x": 2}`, `{"name": "b"}`)
	changes := lock.Compare("files", listed)
	want := []string{`a removed :{"name":"a"}>`, "c unusable", "d unusable", `new added :>{"name":"new"}`}
	if diff := cmp.Diff(want, told(changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if why := changes[1].Why + "; " + changes[2].Why; why != `the server lists the tool twice, with different definitions; the definition is refused: "/inputSchema/a" is given twice (at byte 43)` {
		t.Errorf("why: %s", why)
	}
	after := lock.Accept("files", changes)
	if diff := cmp.Diff([]string{"b", "c", "d", "new"}, after.Tools("files")); diff != "" {
		t.Errorf("accepted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, lock.Tools("files")); diff != "" {
		t.Errorf("Accept changes its receiver (-want +got):\n%s", diff)
	}
	for _, c := range []*Change{lock.Verify("other", tool(t, `{"name": "a"}`)), new(Lock).Verify("files", tool(t, `{"name": "a"}`))} {
		if c == nil || c.Kind != Added {
			t.Errorf("a tool that is not in the lock: %v", c)
		}
	}
}

// TestVerifyAgain holds that a remembered comparison belongs to one definition, and that it is
// made only once.
func TestVerifyAgain(t *testing.T) {
	t.Parallel()
	lock := lockOf(t, readFile)
	good, bad := tool(t, readFile), tool(t, strings.Replace(readFile, "a file", "any file", 1))
	faulty := call.NewCatalog([]*call.Tool{bad, good}).Tool("read")
	for range 2 {
		for what, tt := range map[string]struct {
			tool *call.Tool
			want Kind
		}{
			"good": {good, 0}, "bad": {bad, Changed}, "good, again": {tool(t, readFile), 0}, "faulty": {faulty, Unusable},
		} {
			if got := lock.Verify("files", tt.tool); got == nil && tt.want != 0 || got != nil && got.Kind != tt.want {
				t.Errorf("%s: %v", what, got)
			}
		}
	}
	first := lock.Verify("files", bad)
	if again := lock.Verify("files", tool(t, string(bad.Raw))); again != first {
		t.Error("the same text is compared twice")
	}
}

// TestVerifyConcurrently holds that calls of two listings do not mix.
func TestVerifyConcurrently(t *testing.T) {
	t.Parallel()
	lock := lockOf(t, readFile)
	var calls sync.WaitGroup
	for i := range 8 {
		text, want := readFile, false
		if i%2 == 1 {
			text, want = strings.Replace(readFile, "a file", "any file", 1), true
		}
		listed := tool(t, text)
		calls.Go(func() {
			for range 200 {
				if got := lock.Verify("files", listed); (got != nil) != want {
					t.Errorf("%d: %v", i, got)
				}
			}
		})
	}
	calls.Wait()
}

// TestCatalog holds that the tools of a lock are the accepted ones.
func TestCatalog(t *testing.T) {
	t.Parallel()
	lock := lockOf(t, readFile, `{"name": "a\u202e<b>", "big": 9007199254740993}`)
	tools, err := lock.Catalog("files")
	if err != nil {
		t.Fatal(err)
	}
	if changes := lock.Compare("files", tools); len(tools.Names()) != 2 || len(changes) > 0 {
		t.Errorf("%d tools, changes %v", len(tools.Names()), told(changes))
	}
	if tools, err := lock.Catalog("web"); tools != nil || err != nil {
		t.Errorf("tools of a server that was never locked: %v, %v", tools, err)
	}
}

// TestDigest holds the digest itself: it is written in files.
func TestDigest(t *testing.T) {
	t.Parallel()
	got, err := Digest(tool(t, `{"name": "t", "n": 1.0}`))
	// printf '{"n":1,"name":"t"}' | sha256sum
	want := "sha256:c6a6a64d4a47b279a1f9a8b8aa043470308cc725a4da242ae84e48d8abbc1271"
	if got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for what, bad := range map[string]*call.Tool{
		"a key given twice": tool(t, `{"name": "t", "inputSchema": {"a": 1, "a": 1}}`),
		"half a surrogate":  tool(t, `{"name": "t", "x": {"description": "\ud800"}}`),
		"another name":      {Name: "u", Raw: []byte(`{"name": "t"}`)},
		"no text":           {Name: "t"},
		"no object":         {Name: "t", Raw: []byte(`["t"]`)},
		"too large":         tool(t, `{"name": "t", "x": "`+strings.Repeat("x", maxDefinition)+`"}`),
	} {
		if digest, err := Digest(bad); err == nil || digest != "" {
			t.Errorf("%s: %s", what, digest)
		}
	}
}

// TestHostile holds that no definition costs much.
func TestHostile(t *testing.T) {
	t.Parallel()
	many := func(value string) string {
		return `{"name": "t", "` + strings.Repeat("k", 100_000) + `": [` + strings.Repeat(`{"a": `+value+`},`, 10_000) + `{}]}`
	}
	changes := lockOf(t, many("1")).Compare("files", catalog(t, many("2")))
	if len(changes) != 1 || len(changes[0].Fields) != 1 || changes[0].Fields[0].Pointer != "" {
		t.Errorf("%d changes", len(changes))
	}
	deep := `{"name": "t", "x": ` + strings.Repeat("[", 250) + strings.Repeat("1,", 400_000) + "1" + strings.Repeat("]", 250) + "}"
	text, err := lockOf(t, deep).encode()
	if err != nil || len(text) > 32<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	long := strings.Repeat("é", 600)
	if p := below(below(below("", long), long), long); len(p) > maxPointer+10 || strings.Count(p, "…") != 1 {
		t.Errorf("a pointer of %d bytes: %s", len(p), p)
	}
}

func TestUnseen(t *testing.T) {
	t.Parallel()
	c := lockOf(t).Compare("files", catalog(t, `{"name": "t", "description": "a\u200bb\u200b\udb40\udc41 ⚠\ufe0f\u00a0\n", "inputSchema": {"\u202ex": {"title": "fine"}}}`))[0]
	want := []Place{{"/description", []string{"U+200B", "U+E0041"}}, {"/inputSchema/\u202ex", []string{"U+202E"}}}
	if diff := cmp.Diff(want, c.Unseen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if hidden('é') || hidden('語') || hidden(' ') || hidden('😀') || !hidden('\u2800') || !hidden('\u3164') || !hidden('\u034f') || !hidden('\u0085') || !hidden('\u00a0') {
		t.Error("what counts as hidden")
	}
}

func TestUnfamiliar(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, after any
		want          []string
	}{
		{"read a file", "reаd a file", []string{"U+0430"}}, // Cyrillic
		{"déjà", "déjà été", nil},
		{"a", "b", nil},
		{absent{}, map[string]any{"ü": []any{"\u200b", "\x1b", "ü"}}, []string{"U+001B", "U+200B", "U+00FC"}},
	} {
		if got := unfamiliar(tt.before, tt.after); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v, %v: %v, want %v", tt.before, tt.after, got, tt.want)
		}
	}
	greek := unfamiliar("", "αβγδεζηθικλμνξοπρστυ")
	if len(greek) != maxCharacters+1 || greek[maxCharacters] != "and 4 more" {
		t.Errorf("%v", greek)
	}
}
