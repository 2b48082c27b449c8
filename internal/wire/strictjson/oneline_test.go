// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"reflect"
	"strings"
	"testing"
)

func TestOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                  "",
		"{\"a\":\"é…“\"}":   "{\"a\":\"é…“\"}",
		"{}\r":              "{}",
		"{\r\n\"a\":\r1}\r": "{  \"a\": 1}",
	} {
		if got := OneLine([]byte(text)); string(got) != want {
			t.Errorf("OneLine(%q) = %q, want %q", text, got, want)
		}
	}
	plain := []byte(`{"a":"plain"}`)
	if got := OneLine(plain); &got[0] != &plain[0] {
		t.Error("a text without line ends is copied")
	}
}

// TestNULBelowMembers holds that the quick readers, too, refuse U+0000 in keys that they do not return.
func TestNULBelowMembers(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		`{"a":{"b":[{"c\u0000":1}]}}`:         true,
		`{"a\u0000":1}`:                       true,
		`{"a":{"b":[{"c\\u0000":"\u0000"}]}}`: false,
		`{"a":"\u0000","b":{"c":1}}`:          false,
	} {
		_, members := Members([]byte(text), Limits{})
		_, elements := Elements([]byte("["+text+"]"), Limits{})
		if (members != nil) != refused || (elements != nil) != refused {
			t.Errorf("%s: Members %v, Elements %v", text, members, elements)
		}
	}
}

// FuzzOneLine holds that a text keeps its meaning and is one line.
func FuzzOneLine(f *testing.F) {
	for _, seed := range []string{"{\"a\":\r{\"b\":1}\r}", "[1,\n2]\r", "{\"a\":\"\u2028\"}\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := OneLine([]byte(text))
		if strings.ContainsAny(string(got), "\r\n") {
			t.Fatalf("OneLine(%q) = %q has a line end", text, got)
		}
		before, err := Parse([]byte(text), Limits{})
		if err != nil {
			return
		}
		after, err := Parse(got, Limits{})
		if err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("OneLine(%q) = %q means something else: %v", text, got, err)
		}
	})
}
