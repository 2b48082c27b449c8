// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/npm"
)

// moduleRoot is where the documents' commands are typed.
const moduleRoot = "../../../.."

// elsewhere are commands that stand in a document and are run by something else.
var elsewhere = map[string]string{
	"toolvet hook install":                                                       "cmd/internal/cli/testdata/script/hook_install.txtar",
	"toolvet version --verify SHA256SUMS":                                        "TestVersionVerify of cmd/internal/cli, TestArchive of release",
	"go run ./release publish":                                                   "TestPublish of release",
	"go run ./release":                                                           "the tests of release make the same files",
	"go run ./internal/test/run":                                                 "runs this test",
	"go test ./cmd/internal/test/conformance":                                    "a part of all tests",
	"go test ./cmd/internal/kit":                                                 "a part of all tests",
	"toolvet conformance -- ./my-server":                                         "cmd/internal/cli/testdata/script/conformance.txtar",
	"toolvet conformance --proxy -- toolvet proxy --":                            "cmd/internal/cli/testdata/script/conformance.txtar",
	"toolvet conformance --client -- ./my-client":                                "cmd/internal/cli/testdata/script/conformance.txtar",
	"npm ci --prefix docs/site":                                                  "run by .ci/run, which TestCIRunsThem holds",
	"npm ci --prefix internal/test/npm/testdata":                                 "run by .ci/run, which TestCIRunsThem holds",
	"go run ./cmd/internal/gen/newcheck my-check":                                "run by the test of cmd/internal/gen/newcheck",
	"toolvet proxy --listen 127.0.0.1:8080 --upstream http://127.0.0.1:3001/mcp": "serves until it is told to end; run by TestHTTPProxy of cmd/internal/cli",
	"toolvet demo":                                                               "cmd/internal/cli/testdata/script/demo.txtar",
	"toolvet audit -- npx -y PACKAGE {ROOT}":                                     "run with real packages by the tests of cmd/internal/cli",
	"toolvet audit --write-policy ~/.config/toolvet/PACKAGE.yaml -- npx -y PACKAGE {ROOT}":        "cmd/internal/cli/testdata/script/audit_write_policy.txtar",
	"toolvet proxy --policy ~/.config/toolvet/PACKAGE.yaml --contain -- npx -y PACKAGE /srv/data": "cmd/internal/cli/testdata/script/proxy_contain.txtar",
	"toolvet serve --policy toolvet.yaml":                                                         "run by serve.txtar of cmd/internal/cli",
	"go test ./internal/proxy/httpdoor -run '^$' -bench 'BenchmarkWays|BenchmarkSession'":         "run once by .ci/run, with all benchmarks",
	"go generate ./checks/suite":                                                 "run by the test of cmd/internal/gen/checkdocs",
	"go generate ./internal/audit/classes/suite":                                 "run by the test of cmd/internal/gen/checkdocs",
	"go run schema/testdata/convert.go CHECKOUT >schema/testdata/suite.jsonl.gz": "needs a checkout of the JSON Schema Test Suite",

	"go run ./bench/refused -- toolvet proxy --":                          "TestRun of bench/refused, without a proxy",
	"go run ./bench/refused -- pipelock mcp proxy --config block.yaml --": "TestRun of bench/refused, with another proxy",

	"toolvet setup": "cmd/internal/cli/testdata/script/setup.txtar",
}

// A session is one block of a document: commands, and what they print.
type session struct {
	document string
	world    string // see worldOf
	steps    []step
}

type step struct{ command, output string }

var (
	block    = regexp.MustCompile("(?ms)(?:^<!-- session: ([^\n]*) -->\n)?^```console\n(.*?)^```")
	indented = regexp.MustCompile(`(?m)^ {4}((?:go|npm|npx|toolvet) .*)$`)
)

// TestSessions runs every session of every document. "..." in an output stands for
// any lines.
func TestSessions(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	bin := tools(t)
	ran := 0
	for _, document := range documents(t) {
		for i, s := range sessions(t, document) {
			ran++
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(document), i+1), func(t *testing.T) {
				t.Parallel()
				s.run(t, bin)
			})
		}
	}
	if ran == 0 {
		t.Fatal("no document holds a session")
	}
}

// TestIndentedCommands holds that a command outside a session is run by something.
func TestIndentedCommands(t *testing.T) {
	t.Parallel()
	for _, document := range documents(t) {
		for _, m := range indented.FindAllStringSubmatch(read(t, document), -1) {
			if elsewhere[m[1]] == "" {
				t.Errorf("%s: nothing runs %q: show it as a session (```console), or say here what runs it", document, m[1])
			}
		}
	}
}

func TestCIRunsThem(t *testing.T) {
	t.Parallel()
	ci := read(t, moduleRoot+"/.ci/run")
	for _, command := range []string{"npm ci --prefix internal/test/npm/testdata", "npm ci --prefix docs/site"} {
		if !strings.Contains(ci, command) {
			t.Errorf(".ci/run does not run %q, as CONTRIBUTING.md says", command)
		}
	}
}

func documents(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(moduleRoot, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == ".tmp"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			list = append(list, path)
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	return list
}

func sessions(t *testing.T, document string) []session {
	t.Helper()
	var list []session
	for _, m := range block.FindAllStringSubmatch(read(t, document), -1) {
		s := session{document: document, world: m[1]}
		for line := range strings.Lines(m[2]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				s.steps = append(s.steps, step{command: strings.TrimSpace(command)})
			} else if n := len(s.steps); n > 0 {
				s.steps[n-1].output += line
			} else {
				t.Fatalf("%s: a session begins with %q, not with a command", document, line)
			}
		}
		list = append(list, s)
	}
	return list
}

func (s session) run(t *testing.T, bin string) {
	if s.startsNPM() {
		npm.Server(t, "filesystem") // skips, or fails in CI, where it is missing
	}
	dir := t.TempDir()
	world := worldOf(t, s.world)
	env := slices.Concat(os.Environ(), []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "GOBIN=" + t.TempDir()}, world.env)
	start := func(command string) *exec.Cmd {
		words := slices.Concat(world.wrap, []string{"/bin/sh", "-c", command})
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if strings.HasPrefix(command, "go ") {
			cmd.Dir = moduleRoot
		}
		return cmd
	}
	for _, step := range s.steps {
		if strings.HasPrefix(step.command, "export ") { // for the steps behind it, each of which has a shell of its own
			out, err := start(step.command + " && env -0").Output()
			if err != nil {
				t.Fatalf("%s: %s: %v", s.document, step.command, err)
			}
			env = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
			continue
		}
		if file, ok := strings.CutPrefix(step.command, "cat "); ok && missing(dir, file) {
			// A file that the reader is shown is given.
			if err := os.WriteFile(filepath.Join(dir, file), []byte(step.output), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, err := start(step.command).CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
			t.Errorf("%s: %s: %v", s.document, step.command, err)
		}
		out = slowStart.ReplaceAll(out, nil)
		if !like(step.output, string(out)) {
			t.Errorf("%s: %s prints something else (-document +printed):\n%s", s.document, step.command, cmp.Diff(step.output, string(out)))
		}
		if filepath.Base(s.document) == "sessions.md" && strings.HasPrefix(step.command, "toolvet check ") {
			s.validated(t, step.command, start)
		}
	}
}

// startsNPM tells whether a command, or a file that is shown, names npx.
func (s session) startsNPM() bool {
	return slices.ContainsFunc(s.steps, func(step step) bool {
		return strings.Contains(step.command+step.output, "npx")
	})
}

func missing(dir, file string) bool {
	_, err := os.Stat(filepath.Join(dir, file))
	return errors.Is(err, fs.ErrNotExist)
}

// slowStart is a warning, and the line of its end, that a reader sees only on a busy machine.
var slowStart = regexp.MustCompile(`(?m)^time=\S+ level=(WARN msg="a server is still starting"|INFO msg="a server has started").*\n`)

// like compares an output with what a document shows of it.
func like(shown, printed string) bool {
	parts := strings.Split(shown, "...\n")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`^(?s)` + strings.Join(parts, `.*`) + `$`).MatchString(printed)
}

// tools makes a directory with toolvet and an npx that starts the installed packages.
func tools(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "toolvet"), "./cmd/toolvet")
	build.Dir = moduleRoot
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released, and as CI has compiled it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building toolvet: %v\n%s", err, out)
	}
	modules, err := filepath.Abs(moduleRoot + "/internal/test/npm/testdata/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nshift\npackage=$1\nshift\nexec node %s/$package/dist/index.js \"$@\"\n", modules)
	if err := os.WriteFile(filepath.Join(dir, "npx"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
