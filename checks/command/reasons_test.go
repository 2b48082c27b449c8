// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"
)

// TestReasons holds what a line of everyday work is refused for, if it is: settings that it writes and never prints, variables that are never empty,
// and programs that are refused for what they do.
func TestReasons(t *testing.T) {
	t.Parallel()
	o := &Options{Allow: strings.Fields("substitution redirection pipe list glob expansion newline assignment compound shell starter"), Inside: true}
	for kind, lines := range map[string][]string{
		"": {
			"touch .env", "touch apps/web/.env", "echo A=1 >> .env", "echo A=1 > .env.local", "cat a 2> .env", "cp .env.example .env", "cp .env.example apps/web/.env", "echo A=1 | tee -a .env",
			"sed 's/.*//' $(git ls-files)", "sed -n 's/^.env/x/p' $(git ls-files)",
		},
		secret: {
			"cat .env", "cat < .env", "cat <> .env", "wc -l .env", "diff .env .env.example", "source .env && npm start", "cp .env x", "touch ~/.ssh/authorized_keys", "echo x >> ~/.ssh/authorized_keys", "echo x > ~/.env", "touch ../x/.env",
			"sed 's/.*//' .env", "sed p $(cat x) .env", "tee .env < ~/.netrc",
		},
		wipe:   {"rm -rf \"${BUILD_DIR:?}\"/*", "rm -rf \"${BUILD_DIR:?}\"", "rm -rf ${A:?set A}/${B:?}/*"},
		system: {"rm -rf \"${BUILD_DIR}\"/*", "rm -rf \"${BUILD_DIR?}\"/*", "rm -rf $X${BUILD_DIR:?}$Y/*", "rm -rf ${HOME:?}/*", "shred -u src/app.js", "wipefs x"},
	} {
		for _, line := range lines {
			got := map[string]bool{}
			for _, f := range o.judge(line) {
				got[f.Source] = true
				if strings.HasPrefix(line, "shred ") && !strings.Contains(f.Message, "overwrites files") {
					t.Errorf("%s: %s", line, f.Message)
				}
			}
			if kind != "" && !got[kind] || kind == "" && len(got) > 0 || kind == wipe && got[system] {
				t.Errorf("%s: %v, want %q", line, got, kind)
			}
		}
	}
}
