// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		find(arguments, tt.address, "", tt.lists, func(pointer string, v any) bool { got = append(got, fmt.Sprintf("%s=%v", pointer, v)); return true })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("find(%q) (-want +got):\n%s", tt.address, diff)
		}
	}
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
