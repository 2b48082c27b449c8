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
