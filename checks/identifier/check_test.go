// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package identifier

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}

// FuzzJudge holds that an accepted value is only a name to a shell, to a database and to a
// program with flags. Names of the kind "name" may hold what only a shell reads: people write it in ids and texts.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{
		"123e4567-e89b-12d3-a456-426614174000", "release-notes-2", "public.orders", "LOG_LEVEL", "localhost:5000/a/b__c:1.4",
		"dependabot/npm_and_yarn/@types/node-20", "--upload-pack=touch", "db-1.example.org", "0x7f.1", "2.0.0-rc.1+build.007", "a;b", "a\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, k := range kinds {
			if name == "name" {
				if k.fits(s) && (s == "" || s[0] == '-' || strings.ContainsAny(s, "\t\r\n\x00")) {
					t.Errorf("%q is taken for %s", s, name)
				}
				continue
			}
			if k.fits(s) && (s == "" || s[0] == '-' || strings.ContainsAny(s, " \t\r\n\x00'\"`$;&|<>(){}*?\\")) {
				t.Errorf("%q is taken for %s", s, name)
			}
		}
	})
}
