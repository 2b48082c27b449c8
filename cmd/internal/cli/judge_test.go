// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
)

func TestReadLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40) // more than the reader's buffer
	in := bufio.NewReaderSize(strings.NewReader("a\n\n12345678\n123456789\n"+long+"\nb\r\n"+long+"\nlast"), 16)
	var got []string
	for {
		line, err := readLine(in, 8)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLongLine) {
			t.Fatal(err)
		}
		if err != nil {
			line = []byte("too long")
		}
		got = append(got, string(line))
	}
	want := []string{"a", "", "12345678", "too long", "too long", "b\r", "too long", "last"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestReadLineError(t *testing.T) {
	t.Parallel()
	want := errors.New("disk on fire")
	in := bufio.NewReader(io.MultiReader(strings.NewReader("half a li"), brokenReader{want}))
	if line, err := readLine(in, 100); !errors.Is(err, want) {
		t.Errorf("got %q, %v, want %v", line, err, want)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

// A definition that comes again is the same tool, so that it is compiled once.
func TestToolSetReuses(t *testing.T) {
	t.Parallel()
	s := newToolSet(nil)
	text := []byte(`{"name":"t","inputSchema":{"type":"object"}}`)
	first, name, err := s.find(text)
	if err != nil || name != "t" {
		t.Fatalf("got %q, %v", name, err)
	}
	copied := bytes.Clone(text)
	clear(text) // the set must not rest on the caller's memory
	again, _, err := s.find(copied)
	if err != nil || again.Tool("t") != first.Tool("t") {
		t.Errorf("got another tool, or %v", err)
	}
	if got, want := string(first.Tool("t").InputSchema), `{"type":"object"}`; got != want {
		t.Errorf("schema: got %s, want %s", got, want)
	}
}

// However many definitions come, the set keeps a bounded number of them, and those
// that are used.
func TestToolSetBounded(t *testing.T) {
	t.Parallel()
	s := newToolSet(nil)
	hot := []byte(`{"name":"hot"}`)
	first, _, err := s.find(hot)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 * maxDefinitions {
		if _, _, err := s.find(fmt.Appendf(nil, `{"name":"t%d"}`, n)); err != nil {
			t.Fatal(err)
		}
		if again, _, err := s.find(hot); err != nil || again != first {
			t.Fatalf("after %d others: got another tool, or %v", n+1, err)
		}
	}
	if got := len(s.young) + len(s.old); got > 2*maxDefinitions {
		t.Errorf("got %d definitions, want at most %d", got, 2*maxDefinitions)
	}
	large := strings.Repeat("x", maxDefinitionBytes/4)
	for n := range 9 {
		if _, _, err := s.find(fmt.Appendf(nil, `{"name":"t%d","description":"%s"}`, n, large[:len(large)-1])); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.young) + len(s.old); got > 10 {
		t.Errorf("got %d large definitions, want at most 10", got)
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{}`:                         "any",
		`true`:                       "any",
		`{"type":"string"}`:          "string",
		`{"type":["string","null"]}`: "string|null",
		`{"type":"array"}`:           "array",
		`{"type":"array","items":{"type":"array","items":{"const":1}}}`: "array of array of 1",
		`{"enum":["a",1,null]}`:        `"a"|1|null`,
		`{"enum":[1,2,3,4,5,6,7,8,9]}`: "1|2|3|4|5|6|7|8|…",
		`{"$ref":"#/$defs/Place"}`:     "Place",
		`{"anyOf":[{"type":"string"},{"type":"string","maxLength":1},{"type":"null"}]}`: "string|null",
		`{"oneOf":[{"type":"string"},false]}`:                                           "string|any",
		`{"type":"string","description":7}`:                                             "any",
	} {
		if got := kindOf(json.RawMessage(schema)); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func TestPlainBody(t *testing.T) {
	t.Parallel()
	const doc = "# name\n\nSee [the other](../other/README.md).\n<!-- a mark -->\n\n## Why not\n\n```yaml\nkey: [a](b)\n```\n\n    # kept [a](b)\n"
	const want = "\nSee the other.\n\nWHY NOT\n\nkey: a\n\n    # kept [a](b)\n"
	if diff := cmp.Diff(want, plainBody(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is decoded is what any JSON reader reads; what is no JSON is never decoded.
func FuzzDecode(f *testing.F) {
	seeds := []string{
		`{"tool":{"name":"t"},"arguments":{"a":[1,"\u00e9",null,{"b":1.50}]}}`,
		`{"arguments":{},"tool":{"name":"t","inputSchema":{"type":"object"}},"note":[]}`,
		`{"tool":{"name":"t"}}`,
		`{"tool":{"name":"t"},"arguments":{"a":1,"a":2}}`,
		`{"tool":{"name":"t"},"Arguments":{},"arguments":{}}`,
		`{"tool":"t","arguments":{}}`,
		`{"tool":{"name":"t"},"arguments":{"a":"\ud800"}} {}`,
		`[]`, ``, "\xef\xbb\xbf{}", `{"tool":7}`,
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	j := &judge{tools: newToolSet(nil)}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := j.decode(bytes.Clone(raw))
		if err != nil {
			if c != nil {
				t.Error("a call beside an error")
			}
			return
		}
		if c.Unread != nil {
			if len(c.Arguments) > 0 || new(toolvet.Gate).Judge(t.Context(), c, toolvet.PointValidate).Go {
				t.Error("arguments of a call that cannot be read")
			}
			return
		}
		var plain struct {
			Tool      struct{ Name string }
			Arguments map[string]any
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&plain); err != nil {
			t.Fatalf("decoded what is no JSON: %v", err)
		}
		if plain.Arguments == nil {
			plain.Arguments = map[string]any{}
		}
		if diff := cmp.Diff(plain.Arguments, c.Arguments); diff != "" {
			t.Errorf("arguments (-plain +decoded):\n%s", diff)
		}
		if plain.Tool.Name != c.Name || c.Tool == nil {
			t.Errorf("tool: got %q, %v, want %q", c.Name, c.Tool, plain.Tool.Name)
		}
	})
}
