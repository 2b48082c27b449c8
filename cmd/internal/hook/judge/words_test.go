// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestNames holds that answers about lines, paths and URLs name the kind in brackets, and name a kind once for one command.
func TestNames(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	j := newJudge(t)
	for _, tt := range []struct {
		step
		name  string
		times int
	}{
		{step{tool: "Write", with: writes("/srv/other/x")}, "allowed are /work/repo and /tmp [path: outside]", 1},
		{step{tool: "WebFetch", with: page("https://other.example/")}, "[url: network]", 1},
		{step{tool: "WebFetch", with: page("http://169.254.169.254/x")}, "only public hosts are allowed [url: network]", 1},
		{step{tool: "WebFetch", with: page("https://user@-x.example/")}, "[url: network]", 0}, // which is no matter of lists
		{step{tool: "Bash", with: bash("npm publish")}, "[command: wipe]", 1},
		{step{tool: "Bash", with: bash("kubectl delete ns x")}, "[command: wipe]", 1},
		{step{tool: "Bash", with: bash("docker system prune")}, "[command: wipe]", 1},
		{step{tool: "Bash", with: bash("terraform destroy")}, "[command: wipe]", 1},
		{step{tool: "Bash", with: bash("terraform destroy")}, "warning", 0},
		{step{tool: "Bash", with: bash("docker volume rm x")}, "[command: wipe]", 1},
		{step{tool: "Bash", with: bash("git branch -D a; rm -rf .")}, "[command: wipe]", 2},
		{step{tool: "Bash", with: bash("rm -rf ~")}, "names a whole home directory, which the program would change [command: system]", 1},
		{step{tool: "Bash", with: bash("rm -rf /etc")}, "names a directory or device of the system", 1},
	} {
		forgotten(j)
		got, why := decision(t, j, &link.Request{Host: "claude-code", Preset: "standard", Dir: "/work/repo", Env: map[string]string{"HOME": "/home/u"}, Payload: payload(t, tt.tool, tt.with, "/work/repo")})
		if n := strings.Count(why, tt.name); got == "" || n != tt.times {
			t.Errorf("%s %v: %q has %q %d times, want %d: %s", tt.tool, tt.with, got, tt.name, n, tt.times, why)
		}
	}
}
