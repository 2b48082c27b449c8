// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

func parse(t testing.TB, text string) any {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestCanonical has the examples of RFC 8785 (sections 3.2.2 and 3.2.3, appendix B), and
// numbers that are no double's shortest spelling.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
		  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`: `{"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],` +
			`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		`{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7}`: "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		`[]`: `[]`, `{}`: `{}`, `[[ ], { }]`: `[[],{}]`,
		`0`: `0`, `-0`: `0`, `0.0e5`: `0`, `0e99999999999999999999999`: `0`,
		`1.0`: `1`, `10e-1`: `1`, `0.1E+1`: `1`, `-1.50`: `-1.5`,
		`9007199254740993`: `9007199254740993`, `9007199254740992`: `9007199254740992`,
		`0.1000000000000000055`: `0.1000000000000000055`,
		`100000000000000000000`: `100000000000000000000`, `1000000000000000000000`: `1e+21`,
		`123456789012345678901234567890`: `1.2345678901234567890123456789e+29`,
		`0.000001`:                       `0.000001`, `0.0000001`: `1e-7`, `5e-324`: `5e-324`,
		`"\u0000\u001f\u007f\u200b<>&\u2028"`: "\"\\u0000\\u001f\u007f\u200b<>&\u2028\"",
	} {
		if got := string(canonical(parse(t, text))); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestShownIsTheSame holds that the text for people means the same, and is visible.
func TestShownIsTheSame(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 100) + `"\u200b\udb40\udc41\u3164"` + strings.Repeat(`]`, 100)
	v := parse(t, `{"a\u202e": `+deep+`, "b": {"c": [1.0, {}], "d": []}}`)
	text := string(shown(v, 0))
	if string(canonical(parse(t, text))) != string(canonical(v)) {
		t.Errorf("another meaning: %s", text)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
		t.Errorf("a hidden character at %d: %q", i, text)
	}
	if !strings.Contains(text, `"\u200b\udb40\udc41\u3164"`) {
		t.Errorf("escapes: %s", text)
	}
}

// TestNumbersAreDoubles holds that a double prints as RFC 8785 writes it, in any spelling.
func TestNumbersAreDoubles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f := math.Float64frombits(random.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		want, _ := json.Marshal(f) // encoding/json lays floats out as ECMAScript does
		for _, form := range []byte("efg") {
			if got := string(appendNumber(nil, strconv.FormatFloat(f, form, -1, 64))); got != string(want) {
				t.Fatalf("%c: got %s, want %s", form, got, want)
			}
		}
	}
}

// FuzzCanonical holds that texts are equal if and only if the values are, and that another
// spelling of a value changes nothing.
func FuzzCanonical(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":1,"b":[2,null]}`, `{"b":[2e0,null],"a":1.0}`},
		{`9007199254740993`, `9007199254740992`},
		{`{"a":null}`, `{}`}, {`[1,2]`, `[2,1]`}, {`"1"`, `1`}, {`""`, `null`}, {`false`, `null`},
		{`"\u200b"`, `""`}, {`"a\u0000b"`, `"ab"`}, {`-0`, `0`}, {`1e-5`, `0.00001`}, {`[[]]`, `[{}]`},
		{`"😀"`, "\"\ufb33\""}, {`"é"`, `"z"`}, {`"\ud7ff"`, `"😀"`},
		{`{"\ud83d\ude00":1,"\ufb33":2}`, `{"\ufb33":2,"\ud83d\ude00":1}`},
		{`123456789012345678901`, `1234567890123456789010e-1`},
	} {
		f.Add(pair[0], pair[1], uint64(1))
	}
	f.Fuzz(func(t *testing.T, a, b string, seed uint64) {
		va, err := strictjson.Parse([]byte(a), strictjson.Limits{Depth: 50})
		if err != nil {
			t.Skip()
		}
		if utf8.ValidString(b) && compareUTF16(a, b) != slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) {
			t.Errorf("the order of %q and %q", a, b)
		}
		text := string(canonical(va))
		respelt := respell(va, rand.New(rand.NewPCG(seed, 0)))
		if got := string(canonical(parse(t, respelt))); got != text {
			t.Errorf("spelt as %s: %s, not %s", respelt, got, text)
		}
		if back := parse(t, text); !same(va, back) {
			t.Errorf("%s is not %s", text, a)
		}
		vb, err := strictjson.Parse([]byte(b), strictjson.Limits{Depth: 50})
		if err != nil {
			return
		}
		if equal(va, vb) != same(va, vb) {
			t.Errorf("%s and %s: equal is %v", a, b, equal(va, vb))
		}
		if changed := differences(map[string]any{"v": va}, map[string]any{"v": vb}); (len(changed) == 0) != same(va, vb) {
			t.Errorf("%s and %s: differences %v", a, b, changed)
		}
	})
}

// same compares decoded values without writing them.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if v, ok := b[key]; !ok || !same(a[key], v) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && rational(a).Cmp(rational(b)) == 0
	}
	return a == b
}

func rational(n json.Number) *big.Rat {
	if digits, _ := decimal(string(n)); digits == "" {
		return new(big.Rat) // big.Rat does not take every exponent of zero
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return big.NewRat(-1, 7)
	}
	return r
}

// respell writes a value with its keys in any order, numbers and characters in other
// spellings, and white space.
func respell(v any, random *rand.Rand) string {
	space := []string{"", " ", "\n\t"}[random.IntN(3)]
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		keys := sortedKeys(v)
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys {
			parts = append(parts, respell(key, random)+":"+respell(v[key], random))
		}
		return "{" + space + strings.Join(parts, ","+space) + "}"
	case []any:
		for _, e := range v {
			parts = append(parts, respell(e, random))
		}
		return "[" + strings.Join(parts, space+",") + space + "]"
	case string:
		return `"` + Visible(v) + `"`
	case json.Number:
		if n := string(v); len(n) < 100 && !strings.HasSuffix("-0", n) && !strings.ContainsAny(n, ".eE") {
			return space + n + []string{"", ".0", "e0", "0E-1"}[random.IntN(4)]
		}
		return string(v)
	}
	text, _ := json.Marshal(v)
	return string(text)
}
