// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package install

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/semantics"
)

// TestGuard runs guarded lines with stand-ins for toolvet: an answer reaches the host as it is, and whatever else happens is a denial.
func TestGuard(t *testing.T) {
	t.Parallel()
	answers := map[string]bool{"77": true, "2": true}
	for _, h := range hook.Hosts() {
		if _, tail := guards(h); tail == "" {
			continue
		}
		for name, script := range map[string]string{
			"77": "exit 77", "2": "echo why >&2; exit 2", "0": "exit 0", "garbage": "echo all fine", "half": `printf '{"decision":"deny'; exit 0`,
			"3": "exit 3", "killed": "kill -9 $$", "127": "exec ./missing-program",
		} {
			cmd := exec.CommandContext(t.Context(), shell, "-c", Guard(h, line([]string{shell, "-c", script}, "linux")))
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			r := semantics.Result{}
			var exit *exec.ExitError
			if err := cmd.Run(); errors.As(err, &exit) {
				r.Exit = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			r.Stdout, r.Stderr = stdout.Bytes(), stderr.Bytes()
			got := semantics.Run(h.Name, r, false)
			want := semantics.Blocked
			if name == "77" {
				want = semantics.Allowed
			}
			if got != want || answers[name] && bytes.Contains(slices.Concat(r.Stdout, r.Stderr), []byte(failedWords)) && h.Name != "cline" {
				t.Errorf("%s, %s: %s: %d %q %q", h.Name, name, got, r.Exit, r.Stdout, r.Stderr)
			}
		}
		for _, text := range []string{Guard(h, "'/a b/toolvet' hook "+h.Name), line([]string{shell, "-c", Guard(h, "'/a b/toolvet' hook "+h.Name)}, "linux")} {
			if words, ok := unguarded(text, "linux"); !ok || !slices.Equal(words, []string{"/a b/toolvet", "hook", h.Name}) {
				t.Errorf("%q is read as %q, %t", text, words, ok)
			}
		}
	}
}
