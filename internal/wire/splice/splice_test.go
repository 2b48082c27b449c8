// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package splice_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

var limits strictjson.Limits

func TestSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ object, path, want string }{
		{`{ "a" : 1.0 , "b":2 }`, "a", `{ "a" : 7 , "b":2 }`},
		{`{"a":{"b":[1.0]}}`, "a.b", `{"a":{"b":7}}`},
		{`{"a":{ } }`, "a.b", `{"a":{ "b":7} }`},
		{`{"x":1e2 }`, "a.b", `{"x":1e2,"a":{"b":7}}`},
		{`{"a":null}`, "a.b", `{"a":{"b":7}}`},
		{` {"x":1} `, "a", ` {"x":1,"a":7} `},
	} {
		got, err := splice.Set([]byte(test.object), limits, []byte("7"), strings.Split(test.path, ".")...)
		if err != nil || string(got) != test.want {
			t.Errorf("Set(%s, %s) = %s, %v, want %s", test.object, test.path, got, err, test.want)
		}
	}
	for object, path := range map[string]string{`[]`: "a", `{"a":1}`: "a.b", `{"a":1,"a":2}`: "b"} {
		if got, err := splice.Set([]byte(object), limits, []byte("7"), strings.Split(path, ".")...); err == nil {
			t.Errorf("Set(%s, %s) = %s, want an error", object, path, got)
		}
	}
}

func TestEditLeaves(t *testing.T) {
	t.Parallel()
	leave := func([]byte) ([]byte, error) { return nil, nil }
	for object, path := range map[string]string{`{"a": {"b":1.0}}`: "a.b", `{ }`: "a.b", `{"a":null}`: "a.b.c"} {
		got, err := splice.Edit([]byte(object), limits, strings.Split(path, "."), leave)
		if err != nil || string(got) != object {
			t.Errorf("Edit(%s) that leaves it = %s, %v", object, got, err)
		}
	}
	broken := errors.New("broken")
	if _, err := splice.Edit([]byte(`{"a":1}`), limits, []string{"a"}, func([]byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("Edit: %v", err)
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	change := func(e []byte) ([]byte, error) {
		if string(e) == "2" {
			return []byte("7"), nil
		}
		return nil, nil
	}
	for array, want := range map[string]string{`[1.0, 2,3]`: `[1.0,7,3]`, `[ 1.0 ,3 ]`: `[ 1.0 ,3 ]`, `[]`: `[]`} {
		got, err := splice.Each([]byte(array), limits, change)
		if err != nil || string(got) != want {
			t.Errorf("Each(%s) = %s, %v, want %s", array, got, err, want)
		}
	}
	if _, err := splice.Each([]byte(`{}`), limits, change); err == nil {
		t.Error("Each takes what is no array")
	}
}

// FuzzSet holds that what is set is found, and that everything else means what it did.
func FuzzSet(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[1.0]}`)
	f.Add(` { "x" : "\u00e9" } `)
	f.Add(`{"a":null}`)
	f.Fuzz(func(t *testing.T, object string) {
		got, err := splice.Set([]byte(object), limits, []byte(`"new"`), "a", "b")
		if err != nil {
			return
		}
		if found := splice.Get(got, limits, "a", "b"); string(found) != `"new"` {
			t.Fatalf("Set(%s) = %s: found %s", object, got, found)
		}
		before, after := decode(t, object), decode(t, string(got))
		strip(before)
		strip(after)
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("Set(%s) = %s changes more", object, got)
		}
	})
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// strip takes out what was set, and the object around it if it is empty then.
func strip(v map[string]any) {
	if inner, ok := v["a"].(map[string]any); ok {
		if delete(inner, "b"); len(inner) > 0 {
			return
		}
	}
	delete(v, "a")
}

// TestDocument holds that several changes of one document are what as many changes of texts are.
func TestDocument(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text    string
		changes []string // "path=value"
		want    string
	}{
		{`{ "a" : {"b" : 1.0} , "c":2 }`, nil, `{ "a" : {"b" : 1.0} , "c":2 }`},
		{`{ "a" : {"b" : 1.0} , "c":2 }`, []string{"a.b=7", "c=[8]"}, `{ "a" : {"b" : 7} , "c":[8] }`},
		{`{"a":{}}`, []string{"a.x=1", "a.y=2", "a.z.w=3"}, `{"a":{"x":1,"y":2,"z":{"w":3}}}`},
		{`{"a":{}}`, []string{"b.x=1", "b.y=2", "a.x=3"}, `{"a":{"x":3},"b":{"x":1,"y":2}}`},
		{`{"a":null, "b":1 }`, []string{"a.x=1", "a.y=2", "c=4"}, `{"a":{"x":1,"y":2}, "b":1,"c":4}`},
		{`{"a":{"b":{"c":1}}}`, []string{"a.b={}", "a.b.c=2", "a={\"d\":3}"}, `{"a":{"d":3}}`},
	} {
		d := splice.New([]byte(test.text), limits)
		text := []byte(test.text)
		for _, c := range test.changes {
			path, value, _ := strings.Cut(c, "=")
			if err := d.Set([]byte(value), strings.Split(path, ".")...); err != nil {
				t.Errorf("%s: Set(%s): %v", test.text, c, err)
			}
			var err error
			if text, err = splice.Set(text, limits, []byte(value), strings.Split(path, ".")...); err != nil {
				t.Errorf("%s: Set(%s): %v", test.text, c, err)
			}
			if got := string(d.Get(strings.Split(path, ".")...)); got != value {
				t.Errorf("%s: %s reads %s behind Set(%s)", test.text, path, got, c)
			}
		}
		if got := string(d.Text()); got != test.want || string(text) != test.want {
			t.Errorf("%s with %q: %s, one by one %s, want %s", test.text, test.changes, got, text, test.want)
		}
	}
}

func TestDocumentKeepsItsText(t *testing.T) {
	t.Parallel()
	text := []byte(`{ "a": [1.0] }`)
	d := splice.New(text, limits)
	if got := d.Get("a"); string(got) != "[1.0]" {
		t.Errorf("got %s", got)
	}
	if err := d.Set([]byte("1"), "a", "b"); err == nil {
		t.Error("a member is put into an array")
	}
	if got := d.Text(); &got[0] != &text[0] || len(got) != len(text) {
		t.Error("a document without changes copies its text")
	}
}

func TestClone(t *testing.T) {
	t.Parallel()
	d := splice.New([]byte(`{"a":{"b":1}}`), limits)
	if err := d.Set([]byte("2"), "a", "c"); err != nil {
		t.Fatal(err)
	}
	clone := d.Clone()
	if err := clone.Set([]byte("3"), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := d.Set([]byte("4"), "d"); err != nil {
		t.Fatal(err)
	}
	if err := clone.Set([]byte("5"), "e"); err != nil {
		t.Fatal(err)
	}
	if got, want := string(d.Text()), `{"a":{"b":1,"c":2},"d":4}`; got != want {
		t.Errorf("the document is %s, want %s", got, want)
	}
	if got, want := string(clone.Text()), `{"a":{"b":3,"c":2},"e":5}`; got != want {
		t.Errorf("the clone is %s, want %s", got, want)
	}
}

// TestDocumentGrows holds that the limit of what is read does not bound what is added.
func TestDocumentGrows(t *testing.T) {
	t.Parallel()
	d := splice.New([]byte(`{"a":1}`), strictjson.Limits{Bytes: 7})
	for _, path := range []string{"b", "c"} {
		if err := d.Set([]byte(`"new"`), path); err != nil {
			t.Fatal(err)
		}
		if got := d.Get(path); string(got) != `"new"` {
			t.Errorf("%s is %s", path, got)
		}
	}
	if got := string(d.Text()); got != `{"a":1,"b":"new","c":"new"}` {
		t.Errorf("got %s", got)
	}
}

// FuzzDocument holds that several changes of one document are what as many changes of texts are,
// whatever is read in between, and that they leave the text alone that the document was made of.
func FuzzDocument(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[1.0]}`, []byte("\x00\x11\x22\x01\x07"))
	f.Add(` { "a" : null , "b":{} } `, []byte{3, 19, 36, 64, 200, 7})
	f.Add(`{"a":{"a":{"a":null}},"a b":"x"}`, []byte{1, 1, 255, 128, 64, 32})
	keys := []string{"a", "b", "c"}
	values := []string{`7`, `{}`, `null`, `{"a":1, "c" : {"b":null} }`, `[1.0]`, `"new"`}
	f.Fuzz(func(t *testing.T, text string, steps []byte) {
		original := []byte(text)
		d, one := splice.New(original, limits), []byte(text)
		for i := 0; i+1 < len(steps); i += 2 {
			var path []string
			for n := steps[i]; len(path) <= int(steps[i]>>6)%3; n /= 3 {
				path = append(path, keys[n%3])
			}
			value := []byte(values[int(steps[i+1])%len(values)])
			if steps[i+1] >= 128 {
				if got, want := d.Get(path...), splice.Get(one, limits, path...); string(got) != string(want) {
					t.Fatalf("%q: %q reads %q, in the text %q", text, path, got, want)
				}
			}
			after, wrong := splice.Set(one, limits, value, path...)
			if err := d.Set(value, path...); (err == nil) != (wrong == nil) {
				t.Fatalf("%q: Set(%s, %q): %v, in the text: %v", text, value, path, err, wrong)
			}
			if wrong == nil {
				one = after
			}
			if steps[i+1]&64 != 0 && string(d.Text()) != string(one) {
				t.Fatalf("%q: %q, one by one %q", text, d.Text(), one)
			}
		}
		if string(d.Text()) != string(one) || string(original) != text {
			t.Fatalf("%q: %q, one by one %q; the text is now %q", text, d.Text(), one, original)
		}
	})
}
