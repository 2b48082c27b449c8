// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
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
	const want = "nests brackets too deep"
	if got := new(Options).judge(strings.Repeat("(", 1000)); len(got) == 0 || !strings.HasPrefix(got[0].Message, want) {
		t.Errorf("got %v, want %q", got, want)
	}
}

// TestFaultyOptions holds that options that do not compile let no command through. No policy can
// have such options.
func TestFaultyOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []*Options{{Arguments: []string{"["}}, {Flags: map[string][]string{"ls": {"("}}}} {
		if got := o.judge("ls"); len(got) == 0 {
			t.Errorf("%+v let a command through", o.Arguments)
		}
	}
}
