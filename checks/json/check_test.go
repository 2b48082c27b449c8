// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package json

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}

func TestDeep(t *testing.T) {
	t.Parallel()
	const want = "must hold JSON nested at most 64 deep (at byte 64)"
	if got := new(Options).judge(strings.Repeat("[", 100_000)); len(got) != 1 || got[0].Message != want {
		t.Errorf("got %v, want %q", got, want)
	}
}

// FuzzJudge holds that accepted text is JSON of the type for the standard library as well, and
// that no message repeats the text.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `[1,[2]]`, `"x"`, `{"a":1,"a":2}`, `1e999`, `nul`, `{"\ud800":1}`, ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found := (&Options{Types: []string{"object"}}).judge(s)
		if len(found) > 0 {
			if len(s) > 12 && strings.Contains(found[0].Message, s) {
				t.Errorf("the message repeats %q", s)
			}
			return
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(s), &v); err != nil || v == nil {
			t.Errorf("%q is accepted, and is no object: %v", s, err)
		}
	})
}
