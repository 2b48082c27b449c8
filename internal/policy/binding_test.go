// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

func TestFind(t *testing.T) {
	t.Parallel()
	var arguments any
	if err := json.Unmarshal([]byte(`{"path":"p","Path":"q","paths":["a","b"],"jobs":[{"cwd":"c"},{"cwd":"d","x":1}],"m":{"k/1":"e","k~2":["f"]}}`), &arguments); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		address string
		lists   bool
		want    []string
	}{
		{"/path", false, []string{"/Path=q", "/path=p"}}, // some servers take the one for the other
		{"/paths", false, []string{"/paths/0=a", "/paths/1=b"}},
		{"/paths", true, []string{"/paths=[a b]"}},
		{"/paths/*", false, []string{"/paths/0=a", "/paths/1=b"}},
		{"/paths/1", false, []string{"/paths/1=b"}},
		{"/jobs/*/cwd", false, []string{"/jobs/0/cwd=c", "/jobs/1/cwd=d"}},
		{"/m/*", false, []string{"/m/k~11=e", "/m/k~02/0=f"}},
		{"/m/k~11", false, []string{"/m/k~11=e"}},
		{"/absent", false, nil},
		{"/path/deeper", false, nil},
	} {
		var got []string
		new(Binding).In(nil, Live).below(arguments, tt.address, "", tt.lists, func(pointer string, v any) bool { got = append(got, fmt.Sprintf("%s=%v", pointer, v)); return true })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("below(%q) (-want +got):\n%s", tt.address, diff)
		}
	}
}

// TestPlacesOfMany holds that a large object has the same places as a small one, in any case of the keys, and that it is
// looked through once, however many demands there are.
func TestPlacesOfMany(t *testing.T) {
	t.Parallel()
	kind := &check.Demand{Name: "kind"}
	one := &check.Check{Demand: kind}
	b := new(Binding)
	for i := range 40 {
		b.arguments = append(b.arguments, Argument{Address: fmt.Sprintf("/mask%d", i), Demands: []Demand{{Kind: kind}}})
	}
	b.arguments = append(b.arguments, Argument{Address: "/in/a~1b", Demands: []Demand{{Kind: kind}}}, Argument{Address: "/straße", Demands: []Demand{{Kind: kind}}})
	given := map[string]any{"mask1": "1", "MAſK1": "2", "mas\u212A3": "3", "STRAßE": "4", "strasse": "no", "in": map[string]any{"A/B": "5"}}
	want := b.In(given, Live).Targets(one, 100).Errors
	if len(want) != 5 {
		t.Fatalf("%d places: %v", len(want), want)
	}
	inner := given["in"].(map[string]any)
	for i := range 1000 {
		given[fmt.Sprintf("other%d", i)], inner[fmt.Sprintf("other%d", i)] = "no", "no"
	}
	places := b.In(given, Live)
	if diff := cmp.Diff(want, places.Targets(one, 100).Errors); diff != "" {
		t.Errorf("(-few +many):\n%s", diff)
	}
	if len(places.named) != 2 || !places.Demands(one) {
		t.Errorf("%d objects looked through", len(places.named))
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range [][2]string{{"mask", "MAſ\u212A"}, {"ß", "ẞ"}, {"i", "İ"}, {"ς", "Σ"}, {"a", "b"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if utf8.ValidString(a) && utf8.ValidString(b) && strings.EqualFold(a, b) != (string(fold(nil, a)) == string(fold(nil, b))) {
			t.Errorf("%q and %q", a, b)
		}
	})
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"read", "read", true},
		{"read", "reader", false},
		{"*", "", true},
		{"*", "issues/create", true}, // a slash is a character like any other
		{"read_*", "read_", true},
		{"read_*", "write_x", false},
		{"*_file", "read_file", true},
		{"*_file", "file", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "acb", false},
		{"a*a", "a", false},
	} {
		if got := (&Tool{Pattern: tt.pattern}).Matches(tt.name); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.pattern, tt.name, got)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		one, other string
		want       bool
	}{
		{"/path", "/path", true},
		{"/Path", "/path", true}, // some servers take the one for the other
		{"/paths/*", "/paths", true},
		{"/paths", "/paths/*", true},
		{"/*", "/path", true},
		{"/*/path", "/job/path", true},
		{"/job/path", "/*/path", false},
		{"/path", "/path/deeper", false},
		{"", "/path", false},
	} {
		if got := covers(tt.one, tt.other); got != tt.want {
			t.Errorf("covers(%q, %q) = %v", tt.one, tt.other, got)
		}
	}
}

// TestNullByDefault holds that null passes a demand where it is the declared default, which is the same as no argument, and
// nowhere else.
func TestNullByDefault(t *testing.T) {
	t.Parallel()
	kind := &check.Demand{Name: "kind"}
	p := &Policy{Servers: []*Server{{Name: "s", Tools: []Tool{{Pattern: "x"}}}}}
	for _, name := range []string{"/a", "/b", "/c"} {
		p.Servers[0].Tools[0].Arguments = append(p.Servers[0].Tools[0].Arguments, Argument{Address: name, Demands: []Demand{{Kind: kind}}})
	}
	tool := &call.Tool{InputSchema: json.RawMessage(`{"properties":{"a":{"type":["string","null"],"default":null},"b":{"type":["string","null"]},"c":{"default":"x"}}}`)}
	var got []string
	for _, at := range p.Bind("s", "x", tool).In(map[string]any{"a": nil, "b": nil, "c": nil}, Live).Targets(&check.Check{Demand: kind}, 9).Errors {
		got = append(got, at.Pointer)
	}
	if diff := cmp.Diff([]string{"/b", "/c"}, got); diff != "" {
		t.Errorf("judged are (-want +got):\n%s", diff)
	}
}
