// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call/result"
)

func read(t testing.TB, raw string) *result.Result {
	t.Helper()
	r, err := result.Read("tools/call", json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return r
}

func apply(t testing.TB, r *result.Result, edits []result.Edit) string {
	t.Helper()
	raw, err := r.Apply(edits)
	if err != nil {
		t.Fatalf("%s: %v", r.Raw, err)
	}
	return string(raw)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	r := read(t, ` {"content":[{"type":"text","text":"a\"\\"},{"t\u0065xt":"b"},{"text":{"text":"c"}}],"a/b~":[1e2,-3,true,null,[]], "":{}} `)
	var got []string
	for i, place := range r.Places(r.Tokens()) {
		token := r.Tokens()[i]
		got = append(got, place+" "+string(r.Raw[token.Start:token.End]))
	}
	want := []string{`/content "content"`, `/content/0/type "type"`, `/content/0/type "text"`, `/content/0/text "text"`, `/content/0/text "a\"\\"`,
		`/content/1/text "t\u0065xt"`, `/content/1/text "b"`, `/content/2/text "text"`, `/content/2/text/text "text"`, `/content/2/text/text "c"`,
		`/a~1b~0 "a/b~"`, `/a~1b~0/0 1e2`, `/a~1b~0/1 -3`, `/ ""`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

func TestTextBlocks(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		`{"content":[{"type":"text","text":"a\"\\"},{"t\u0065xt":"b"},{"text":{"text":"c"}},{"resource":{"text":"d","uri":"x"}}]}`:             {`a"\`, "b", "d"},
		`{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"content":[{"text":"b"}]},{"content":{"resource":{"text":"c"}}}]}`: {"a", "b", "c"},
		`{"contents":[{"uri":"x","text":"a"},{"blob":"YQ=="}],"text":"b","content":{"text":"c"}}`:                                              {"a"},
	} {
		r := read(t, raw)
		var got []string
		for _, b := range r.TextBlocks() {
			got = append(got, result.Unquote(r.Raw[b.Start:b.End]))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("text blocks of %s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	r := read(t, `{"a":[1,2,3],"`+long+`":["far"],"b":"last"}`)
	all := r.Tokens()
	places := func(list []result.Token) []string {
		var got []string
		for i, place := range r.Places(list) {
			if i != len(got) {
				t.Errorf("place %d comes as %d", len(got), i)
			}
			got = append(got, place)
		}
		return got
	}
	two, far, last := all[2], all[5], all[7]
	if diff := cmp.Diff([]string{"/a/1", "/a/1", "", "/b"}, places([]result.Token{two, two, far, last})); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if got := places(nil); got != nil {
		t.Errorf("places of nothing: %q", got)
	}
	for i, place := range r.Places(all) {
		if i == 1 && place == "/a/0" {
			break // a caller may stop
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "{", `{"a"}`, `{"a":}`, `[1,]`, `"a`, `"a\"`, "tru", "1 2", "{}}", `{1:2}`,
		strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
		if _, err := result.Read("", json.RawMessage(raw)); err == nil {
			t.Errorf("%.40s: no error", raw)
		}
	}
}

// TestReadBounds holds that a result of nothing but small scalars does not take many times its
// memory.
func TestReadBounds(t *testing.T) {
	t.Parallel()
	list := func(n int) json.RawMessage { return json.RawMessage("[" + strings.Repeat("0,", n-1) + "0]") }
	if _, err := result.Read("", list(4<<20)); err != nil {
		t.Error(err)
	}
	if _, err := result.Read("", list(4<<20+1)); err == nil {
		t.Error("a list of more numbers is read")
	}
}

// TestReplace cuts a secret out by its place in the raw text.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ raw, from, want string }{
		{`{"a":"x SECRET y","n":10000000000000000000001}`, "SECRET", `{"a":"x [x] y","n":10000000000000000000001}`},
		{`{"SECRET":1.0}`, "SECRET", `{"[x]":1.0}`},
		{`{"a":["SEC", "RET"],"b": 1e400}`, `SEC", "RET`, `{"a":["[x]", ""],"b": 1e400}`},
		{`{"pin":1234567890 }`, "34567", `{"pin":"[x]" }`},
		{`{"a":"\u0053ECRET\ud83d\ude00"}`, `0053ECRET\ud8`, `{"a":"[x]"}`},
		{`{"a":"\\\\nSECRET"}`, `nSECRET`, `{"a":"\\\\[x]"}`},
		{`{"a":"\\\nSECRET"}`, `nSECRET`, `{"a":"\\[x]"}`},
		{`{"a":"","b":"SECRET"}`, `","b":"SECRET`, `{"a":"","b":"[x]"}`},
		// text between two places of an object is its structure
		{`[{"type":"text","text":"SEC"},{"type":"text","text":"RET"}]`, `SEC"},{"type":"text","text":"RET`, `[{"type":"text","text":"[x]"},{"type":"text","text":""}]`},
	} {
		r := read(t, tt.raw)
		start := strings.Index(tt.raw, tt.from)
		got := apply(t, r, r.Replace(start, start+len(tt.from), "[x]"))
		if got != tt.want {
			t.Errorf("%s without %s: got %s, want %s", tt.raw, tt.from, got, tt.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

func TestReplaceText(t *testing.T) {
	t.Parallel()
	r := read(t, `["é\u00e9\n😀\ud83d\ude00x"]`)
	token := r.Tokens()[0]
	text := result.Unquote(r.Raw[token.Start:token.End])
	for part, want := range map[string]string{
		"é":   `["-\u00e9\n😀\ud83d\ude00x"]`,
		"\n":  `["é\u00e9-😀\ud83d\ude00x"]`,
		"😀😀x": `["é\u00e9\n-"]`,
	} {
		at := strings.Index(text, part)
		if got := apply(t, r, []result.Edit{r.ReplaceText(token, at, at+len(part), "-")}); got != want {
			t.Errorf("without %q: got %s, want %s", part, got, want)
		}
	}
}

func TestApplyOverlaps(t *testing.T) {
	t.Parallel()
	r := read(t, `["abcdefgh"]`)
	got := apply(t, r, []result.Edit{{Start: 4, End: 6, Text: "2"}, {Start: 3, End: 5, Text: "1"}, {Start: 8, End: 9, Text: "3"}})
	if want := `["a1ef3h"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, err := r.Apply(nil); err != nil || &got[0] != &r.Raw[0] {
		t.Error("without edits the text is copied")
	}
	for _, e := range []result.Edit{{Start: -1, End: 1}, {Start: 2, End: 1}, {Start: 0, End: 99}, {Start: 1, End: 4, Text: "x"}} {
		if got, err := r.Apply([]result.Edit{e}); err == nil {
			t.Errorf("%+v: got %s", e, got)
		}
	}
}

// FuzzReplace: cutting any range out of any text leaves JSON with as many scalars, and everything
// outside the range.
func FuzzReplace(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a\u0041\\"}],"n":[1,-2e3,true]}`, 3, 9)
	f.Add(`["\ud83d\ude00\\\"x",""]`, 4, 12)
	f.Add(`{"a":"b","c":{"d":[[]]}}`, 0, 24)
	f.Fuzz(func(t *testing.T, raw string, start, end int) {
		r, err := result.Read("", json.RawMessage(raw))
		if valid := json.Valid([]byte(raw)); err != nil {
			if valid && !strings.Contains(err.Error(), "deeper") {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		} else if !valid {
			return // it was valid enough to find its scalars; the proxy reads strictly before
		}
		if start < 0 || start >= end || end > len(raw) {
			return
		}
		got := apply(t, r, r.Replace(start, end, "[x]"))
		again, err := result.Read("", json.RawMessage(got))
		if err != nil || len(again.Tokens()) != len(r.Tokens()) {
			t.Fatalf("%q without %d:%d: %q has other scalars: %v", raw, start, end, got, err)
		}
		for i, token := range r.Tokens() {
			if token.End <= start || token.Start >= end {
				a, b := r.Raw[token.Start:token.End], again.Raw[again.Tokens()[i].Start:again.Tokens()[i].End]
				if string(a) != string(b) {
					t.Fatalf("%q without %d:%d: %q became %q", raw, start, end, a, b)
				}
			}
			if token.Kind != result.Number {
				var want string
				if err := json.Unmarshal(r.Raw[token.Start:token.End], &want); err != nil || result.Unquote(r.Raw[token.Start:token.End]) != want {
					if strings.ToValidUTF8(want, "") == want && !strings.Contains(want, "\ufffd") {
						t.Fatalf("%q is read as %q", r.Raw[token.Start:token.End], result.Unquote(r.Raw[token.Start:token.End]))
					}
				}
			}
		}
	})
}
