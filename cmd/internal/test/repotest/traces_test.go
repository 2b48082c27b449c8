// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// traces match traces of machines in files: hosts of package registries, from mirrors or lock files,
// and directories of the machines that built toolvet. The expressions do not match themselves.
var traces = regexp.MustCompile(strings.Join([]string{
	`registry[.](npmjs|yarnpkg)[.]`,
	`proxy[.]golang[.]org`,
	`sum[.]golang[.]org`,
	`deb[.]debian[.]org`,
	`(^|[^a-z0-9._~-])/wor[k]/(main|shared)\b`,
	`(^|[^a-z0-9._~-])/roo[t]/go\b`,
	`(^|[^a-z0-9._~-])/tm[p]/(npm|brief|bash_jobs)\b`,
	`(^|[^a-z0-9._~-])/hom[e]/[a-z]+/go\b`,
}, "|"))

func TestNoTraces(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for _, name := range tracked(t) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Error(err)
			continue
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if found := traces.Find(line); found != nil {
				t.Errorf("%s:%d holds %q, a trace of the machine where it was made: remove it", name, i+1, found)
			}
		}
	}
}

// tracked returns the files that are in the repository or could be added to it.
func tracked(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("not a git checkout: which files are tracked is not known")
	}
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 20 {
		t.Fatalf("git ls-files names only %d files", len(files))
	}
	return files
}

func TestTracesCanBeFound(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		`"resolved": "https://registry.` + `npmjs.org/zod"`: true,
		"GOPROXY=https://proxy." + "golang.org":             true,
		"cd /work/" + "main":                                true,
		`"/root/` + `go/pkg/mod"`:                           true,
		"see ../shared/corpora":                             false,
		"/workspace/main":                                   false,
		"a path such as /root/.ssh/id_ed25519":              false,
		"https://example.org/work/main":                     false,
	} {
		if got := traces.MatchString(line); got != want {
			t.Errorf("%q: found %v, want %v", line, got, want)
		}
	}
}
