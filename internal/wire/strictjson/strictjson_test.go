// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		`null`:                       nil,
		" \t\r\n true \n":            true,
		`"a"`:                        "a",
		`"\u0041\n\"\\\/\b\f\r\t"`:   "A\n\"\\/\b\f\r\t",
		`"\ud83d\ude00"`:             "😀",
		`"\u0000"`:                   "\x00",
		`"héllo wörld, ﬁne"`:         "héllo wörld, ﬁne",
		`12345678901234567890.10`:    json.Number("12345678901234567890.10"),
		`-0`:                         json.Number("-0"),
		`1E+2`:                       json.Number("1E+2"),
		`0e-9999`:                    json.Number("0e-9999"),
		`5e-324`:                     json.Number("5e-324"),
		`[]`:                         []any{},
		`{}`:                         map[string]any{},
		`{"a":[1,{"a":{}}],"A":"x"}`: map[string]any{"a": []any{json.Number("1"), map[string]any{"a": map[string]any{}}}, "A": "x"},
		`{"__proto__":{"a":1}}`:      map[string]any{"__proto__": map[string]any{"a": json.Number("1")}},
	} {
		got, err := Parse([]byte(text), Limits{})
		if err != nil {
			t.Errorf("Parse(%s): %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%s) (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		kind    Kind
		pointer string
	}{
		{``, Syntax, ""},
		{`{`, Syntax, ""},
		{`{"a"`, Syntax, ""},
		{`{"a":`, Syntax, "/a"},
		{`{"a":1`, Syntax, ""},
		{`{"a":1,}`, Syntax, ""},
		{`[1,]`, Syntax, "/1"},
		{`{a:1}`, Syntax, ""},
		{`'a'`, Syntax, ""},
		{`"a`, Syntax, ""},
		{`"a\`, Syntax, ""},
		{`"\`, Syntax, ""},
		{`"\u12`, Syntax, ""},
		{`"\u12G4"`, Syntax, ""},
		{`"\x41"`, Syntax, ""},
		{"\"\\\n\"", Syntax, ""},
		{"\"a\nb\"", Syntax, ""},
		{"\"a\x00b\"", Syntax, ""},
		{`NaN`, Syntax, ""},
		{`-Infinity`, Syntax, ""},
		{`01`, TrailingData, ""},
		{`1.`, Syntax, ""},
		{`.5`, Syntax, ""},
		{`1e`, Syntax, ""},
		{`+1`, Syntax, ""},
		{`0x10`, TrailingData, ""},
		{`// c`, Syntax, ""},
		{`{} {}`, TrailingData, ""},
		{`{}x`, TrailingData, ""},
		{"{}\x00", TrailingData, ""},
		{"\xef\xbb\xbf{}", InvalidUTF8, ""},
		{"\xff\xfe{\x00}\x00", InvalidUTF8, ""},
		{"{\x00}\x00", InvalidUTF8, ""},
		{"\x00{\x00}", InvalidUTF8, ""},
		{"{\"a\":\"\xff\"}", InvalidUTF8, "/a"},
		{"{\"a\":\"\xc0\xaf\"}", InvalidUTF8, "/a"},     // overlong
		{"{\"a\":\"\xed\xa0\x80\"}", InvalidUTF8, "/a"}, // CESU-8 surrogate
		{`["\ud800"]`, LoneSurrogate, "/0"},
		{`["\udc00\ud800"]`, LoneSurrogate, "/0"},
		{`["\ud800\u0041"]`, LoneSurrogate, "/0"},
		{`["\ud800x"]`, LoneSurrogate, "/0"},
		{`{"\ud800":1}`, LoneSurrogate, ""},
		{`{"a":1,"a":2}`, DuplicateKey, "/a"},
		{`{"a":1,"\u0061":2}`, DuplicateKey, "/a"},
		{`{"x":[{"p~/q":{"k":1,"k":1}}]}`, DuplicateKey, "/x/0/p~0~1q/k"},
		{`{"a\u0000":1}`, NULKey, ""},
		{`{"x":[{"\u0000":1}]}`, NULKey, "/x/0"},
		{`1e309`, NumberRange, ""},
		{`-1e999999999999999999999`, NumberRange, ""},
		{`1` + strings.Repeat("0", 400), NumberRange, ""},
		{`1e-400`, NumberRange, ""},
		{`0.` + strings.Repeat("1", 2000), NumberRange, ""},
		{strings.Repeat("[", 300) + strings.Repeat("]", 300), TooDeep, strings.Repeat("/0", 50) + "/…" + strings.Repeat("/0", 50)},
		{strings.Repeat(`{"a":`, 100000), TooDeep, strings.Repeat("/a", 50) + "/…" + strings.Repeat("/a", 50)},
	} {
		v, err := Parse([]byte(tt.text), Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%.40q) = %v, %v, want an *Error", tt.text, v, err)
			continue
		}
		if e.Kind != tt.kind || e.Pointer != tt.pointer {
			t.Errorf("Parse(%.40q): kind %d at %q, want %d at %q (%v)", tt.text, e.Kind, e.Pointer, tt.kind, tt.pointer, e)
		}
		if v != nil {
			t.Errorf("Parse(%.40q) returned a value beside its error", tt.text)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	limits := Limits{Bytes: 10, Depth: 2, Digits: 3}
	for text, want := range map[string]Kind{
		`[[123]]`:      0,
		`[[[]]]`:       TooDeep,
		`[[1234]]`:     NumberRange,
		`[1, 2, 3, 4]`: TooLarge,
	} {
		_, err := Parse([]byte(text), limits)
		var e *Error
		if errors.As(err, &e); want == 0 && err != nil || want != 0 && (e == nil || e.Kind != want) {
			t.Errorf("Parse(%s) = %v, want kind %d", text, err, want)
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"path":1,"path":2}}`:             `"/a/path" is given twice (at byte 22)`,
		`{"a":secret}`:                          `"/a" has 's' where a value is expected (at byte 5)`,
		"\xef\xbb\xbf{}":                        `the JSON text starts with a byte order mark: send UTF-8 without one (at byte 0)`,
		"{\"\\u202e\\u0007\":1,\"a\":\"\x01\"}": `"/a" has an unescaped control character (U+0001) inside a string (at byte 23)`,
		"{\"\\u202e\\u0007\":\"\x01\"}":         `"/��" has an unescaped control character (U+0001) inside a string (at byte 17)`,
	} {
		_, err := Parse([]byte(text), Limits{})
		if err == nil || err.Error() != want {
			t.Errorf("Parse(%q):\n got %v\nwant %s", text, err, want)
		}
	}
	long := fmt.Sprintf(`{%q:!}`, strings.Repeat("k", 1000))
	if _, err := Parse([]byte(long), Limits{}); err == nil || len(err.Error()) > 200 {
		t.Errorf("a long key makes a long message: %v", err)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	text := ` {"b" : [1, {"x":1,"x":2}] ,"\u0061":"\ud800" , "c":{}} `
	got, err := Members([]byte(text), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Member{
		{"b", []byte(`[1, {"x":1,"x":2}]`), 8},
		{"a", []byte(`"\ud800"`), 37},
		{"c", []byte(`{}`), 52},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Members (-want +got):\n%s", diff)
	}
	for _, m := range got {
		if at := text[m.Offset : m.Offset+len(m.Raw)]; at != string(m.Raw) {
			t.Errorf("member %q: the offset leads to %s", m.Key, at)
		}
	}
	for text, kind := range map[string]Kind{
		`[]`:                              NotObject,
		``:                                Syntax,
		`nope`:                            Syntax,
		`{"a":1,"\u0061":2}`:              DuplicateKey,
		`{"\ud800":2}`:                    LoneSurrogate,
		`{"a":{"b":"\z"}}`:                Syntax,
		`{"a":[01]}`:                      Syntax,
		"{\"a\":[\"\xff\"]}":              InvalidUTF8,
		`{"a":1}{`:                        TrailingData,
		`{` + manyKeys(1000) + `,"k7":1}`: DuplicateKey,
	} {
		_, err := Members([]byte(text), Limits{})
		var e *Error
		if !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("Members(%.40q) = %v, want kind %d", text, err, kind)
		}
	}
	if m, err := Members([]byte(`{`+manyKeys(1000)+`}`), Limits{}); err != nil || len(m) != 1000 {
		t.Errorf("1000 keys: %d, %v", len(m), err)
	}
}

// TestOutline: the members are told apart whatever is in their values, but not if their own keys are at
// fault.
func TestOutline(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	for text, want := range map[string]string{
		`{"a": 1, "b": {"x":1,"x":2}}`:        `a=1 b={"x":1,"x":2}`,
		`{"a":` + deep + `,"b":"\\\"}"}`:      `a=` + deep + ` b="\\\"}"`,
		"{\"a\":{\"b\":\"\xff\"},\"c\":null}": "a={\"b\":\"\xff\"} c=null",
		`{"a":{"b":1/*,*/},"c":[tru,1e999]}`:  `a={"b":1/*,*/} c=[tru,1e999]`,
		`{}`:                                  "",
		`{"a":1,"a":2}`:                       "error",
		`{"a\u0000":1}`:                       "error",
		`{"a":"b`:                             "error",
		`{"a":"b\`:                            "error",
		`{"a":[`:                              "error",
		`{"a":}`:                              "error",
		`{"a":1} x`:                           "error",
		`[1]`:                                 "error",
		`7`:                                   "error",
	} {
		members, err := Outline([]byte(text), Limits{})
		var got []string
		for _, m := range members {
			got = append(got, m.Key+"="+string(m.Raw))
		}
		if have := strings.Join(got, " "); err == nil && have != want || (err != nil) != (want == "error") {
			t.Errorf("Outline(%.40q): %.80s, %v, want %.80s", text, have, err, want)
		}
	}
}

func manyKeys(n int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	return strings.Join(keys, ",")
}

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":{"k":2},"k":[3, 4],"c":5}`: `[3, 4]`,
		`{"\u006b":"x"}`:                       `"x"`,
		`{"K":1}`:                              "",
		`{"k":1,"a":2,"k":1}`:                  "",
		`{"k":1,"a":2,"a":3}`:                  "1",
		`{"k":1,"a"}`:                          "",
		`{"k":1}{}`:                            "",
		`["k",1]`:                              "",
		`{"k":null}`:                           "null",
		``:                                     "",
	} {
		m, ok := Find([]byte(text), Limits{}, "k")
		if string(m.Raw) != want || ok != (want != "") || ok && text[m.Offset:m.Offset+len(m.Raw)] != want {
			t.Errorf("%s: %q at %d, %t; want %q", text, m.Raw, m.Offset, ok, want)
		}
	}
}

// TestFindMemory holds that the members that are not found take next to no memory.
func TestFindMemory(t *testing.T) { // not parallel: others would count
	var b strings.Builder
	b.WriteString(`{"k":1`)
	for i := range MaxMembers - 1 {
		fmt.Fprintf(&b, `,"m%d":"%060d"`, i, 0)
	}
	b.WriteString("}")
	text := []byte(b.String())
	taken := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	find := taken(func() {
		if _, ok := Find(text, Limits{}, "k"); !ok {
			t.Error("not found")
		}
	})
	all := taken(func() {
		if _, err := Members(text, Limits{}); err != nil {
			t.Error(err)
		}
	})
	if find > 2*uint64(len(text)) || find > all/5 {
		t.Errorf("of %d bytes, Find takes %d and Members %d", len(text), find, all)
	}
}

// TestMaxMembers holds that objects with more members are refused, and by Parse they are not.
func TestMaxMembers(t *testing.T) {
	t.Parallel()
	text := []byte(`{"k":1` + strings.Repeat(" ", 10))
	for i := range MaxMembers {
		text = fmt.Appendf(text, `,"m%d":1`, i)
	}
	text = append(text, '}')
	for name, read := range map[string]func([]byte, Limits) ([]Member, error){"Members": Members, "Outline": Outline} {
		_, err := read(text, Limits{})
		if fault := (*Error)(nil); !errors.As(err, &fault) || fault.Kind != TooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse(text, Limits{}); err != nil {
		t.Error(err)
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	got, err := Elements([]byte(` [ {"a":1} , 2,"x" ] `), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`{"a":1}`, `2`, `"x"`}, toStrings(got)); diff != "" {
		t.Errorf("Elements (-want +got):\n%s", diff)
	}
	if _, err := Elements([]byte(`{}`), Limits{}); err == nil {
		t.Error("Elements of an object: no error")
	}
}

func toStrings(list [][]byte) []string {
	var out []string
	for _, b := range list {
		out = append(out, string(b))
	}
	return out
}

// FuzzParse: what Parse accepts, encoding/json reads as the same value, and
// Members splits without losing a byte; what encoding/json refuses is refused.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := Members(data, Limits{})
		outline, fault := Outline(data, Limits{})
		if err == nil && (fault != nil || !cmp.Equal(members, outline)) {
			t.Fatalf("the outline has %v, %v, and the text %v", outline, fault, members)
		}
		got, err := Parse(data, Limits{})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Kind == 0 || e.Offset > len(data) {
				t.Fatalf("error without kind or place: %#v", err)
			}
			return
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("encoding/json reads another value (-json +strict):\n%s", diff)
		}
		if object, ok := got.(map[string]any); ok {
			sameMembers(t, data, object)
		}
	})
}

func sameMembers(t *testing.T, data []byte, object map[string]any) {
	t.Helper()
	members, err := Members(data, Limits{})
	if err != nil || len(members) != len(object) {
		t.Fatalf("Members: %d of %d, %v", len(members), len(object), err)
	}
	for _, m := range members {
		v, err := Parse(m.Raw, Limits{})
		if err != nil {
			t.Fatalf("member %q does not parse alone: %v", m.Key, err)
		}
		if diff := cmp.Diff(object[m.Key], v); diff != "" {
			t.Fatalf("member %q (-whole +alone):\n%s", m.Key, diff)
		}
	}
}

var seeds = []string{
	`{"a":[1,2.5,-3e2,true,false,null,"x"],"b":{"c":{}}}`,
	`{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", "\xef\xbb\xbf{}",
	`[[[[]]]]`, `1e400`, `12345678901234567890`, `{"__proto__":1}`, ` { } `, `"\\\""`, `{"a":"é"}`,
}

// TestLoneSurrogateNeverDecodes: no escape sequence yields half a pair.
func TestLoneSurrogateNeverDecodes(t *testing.T) {
	t.Parallel()
	for r := rune(0xd000); r <= 0xe100; r++ {
		v, err := Parse(fmt.Appendf(nil, `"\u%04x"`, r), Limits{})
		if utf16.IsSurrogate(r) != (err != nil) || err == nil && v != string(r) {
			t.Fatalf(`"\u%04x" = %q, %v`, r, v, err)
		}
	}
}

func BenchmarkMembers(b *testing.B) {
	for name, size := range map[string]int{"20B": 20, "20kB": 20_000} {
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":%q}}}`, strings.Repeat("x", size))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if m, err := Members(line, Limits{}); err != nil || len(m) != 4 {
					b.Fatal(m, err)
				}
			}
		})
	}
}
