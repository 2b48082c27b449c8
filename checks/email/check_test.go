// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"net/mail"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}

// FuzzJudge holds that an accepted value is one address on one line, and the same address to the
// standard library.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"a@example.org", "a@example.org\nBcc: b@c.de", "ü@ü.example", `"a"@b.c`, "a@b.c,d@e.f", "a@b@c.de", "%0a@b.c", "a@[1.2.3.4]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		if len((&Options{}).judge(s)) > 0 {
			return
		}
		if strings.ContainsAny(s, "\r\n\x00 ,;<>") || strings.Count(s, "@") != 1 {
			t.Errorf("%q is accepted, and is not one address", s)
		}
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s || a.Name != "" {
			t.Errorf("%q is accepted, and reads as %v: %v", s, a, err)
		}
	})
}
