// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
	"testing"
)

func TestUnasked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{kinds: [privilege, wipe], hosts: [a.example, '*.b.example'], directories: [/srv/x]}": "",
		"{kinds: [secret]}":              "what a preset refuses stays refused",
		"{kinds: [piped]}":               "what a preset refuses stays refused",
		"{kinds: [sending]}":             "must be of code,",
		"{hosts: ['*']}":                 "must name hosts as HOST or *.HOST",
		"{hosts: ['https://a.example']}": "must name hosts",
		"{hosts: ['a.example:8080']}":    "must name hosts",
		"{directories: [srv]}":           "must hold absolute paths",
		"{directories: [/]}":             "not the root of a file system",
		"{kinds: [wipe]}, command: [x]":  "it would change nothing",
		"{commands: [git branch -D, npx rimraf@5, rm -rf ~/x, kubectl delete pod/a]}": "",
		"{commands: ['git push *']}":                   "more may follow: leave out patterns, such as * and :*",
		"{commands: ['npm publish:*']}":                "leave out patterns",
		"{commands: ['git push origin/[ab]']}":         "leave out patterns",
		"{commands: [git clean, 'git branch \"-D\"']}": "leave out quotes",
		"{commands: [\"rm 'a b'\"]}":                   "leave out quotes",
		"{commands: ['git log | xargs rm']}":           "such as | and ;",
		"{commands: ['git clean -f; ls']}":             "such as | and ;",
		"{commands: ['rm $X']}":                        "leave out quotes, variables",
		"{commands: [sudo rm -rf x]}":                  "such as sudo, env and X=1",
		"{commands: [env git push]}":                   "such as sudo, env and X=1",
		"{commands: [CI=1 npm publish]}":               "such as sudo, env and X=1",
		"{commands: ['git  push']}":                    "with one blank between them",
		"{programs: [sudo]}":                           "programs",
		"{kinds: privilege}":                           "",
	} {
		_, err := Parse("p.yaml", []byte("version: 1\nservers: {claude-code: {unasked: "+text+"}}\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
