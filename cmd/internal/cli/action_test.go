// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// vulnerable is a server that the action and the hook find something in.
const vulnerable = `import os
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("demo")


@mcp.tool()
def ping(host: str) -> str:
    os.system("ping -c 1 " + host)
    return "done"
`

// repository is a scratch repository with a server in it.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "servers", "ping", "main.py"), vulnerable, 0o644)
	return dir
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// read is the text of a file; "" if there is none.
func read(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// An action is what a definition of a composite action says.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{\s*inputs\.([a-z-]+)\s*\}\}`)

// run does the steps of the action in a repository as a runner does them: one shell each, which
// ends at the first error, with the step's own environment and that of a runner.
func (a *action) run(t *testing.T, dir string, inputs map[string]string, env []string) (code int, output string) {
	t.Helper()
	for _, step := range a.Runs.Steps {
		if step.Shell != "bash" || strings.Contains(step.Run, "${{") {
			t.Fatalf("step %q: must run in bash, and take inputs by its environment alone", step.Name)
		}
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Env = dir, env
		for name, value := range step.Env {
			value = expression.ReplaceAllStringFunc(value, func(e string) string {
				input := expression.FindStringSubmatch(e)[1]
				declared, ok := a.Inputs[input]
				if !ok {
					t.Errorf("step %q: no input %q is declared", step.Name, input)
				}
				if v, given := inputs[input]; given {
					return v
				}
				return declared.Default
			})
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.CombinedOutput()
		output += string(out)
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			return exit.ExitCode(), output
		case err != nil:
			t.Fatal(err)
		}
	}
	return 0, output
}

// TestAction runs the steps of action.yml for a branch. The program go, which would fetch toolvet, is one that puts this
// toolvet where the other would be. The test of the same name in release installs a version.
func TestAction(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the steps of an action need bash")
	}
	toolvet, err := exec.LookPath("toolvet")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal([]byte(read("../../../action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 2 {
		t.Fatalf("action.yml: %+v", a.Runs)
	}
	for name, tt := range map[string]struct {
		inputs map[string]string
		code   int
		sarif  string
	}{
		"defaults":   {nil, 0, "toolvet-audit.sarif"},
		"directory":  {map[string]string{"directory": "servers/ping", "sarif": "out.sarif"}, 0, "out.sarif"},
		"not enough": {map[string]string{"fail-under": "B"}, 1, "toolvet-audit.sarif"},
		"enough":     {map[string]string{"fail-under": "D"}, 0, "toolvet-audit.sarif"},
		"incomplete": {map[string]string{"fail-under": "D", "allow-incomplete": "true"}, 0, "toolvet-audit.sarif"},
		"no bar":     {map[string]string{"allow-incomplete": "true"}, 0, "toolvet-audit.sarif"},
		"nothing":    {map[string]string{"directory": "elsewhere"}, 2, ""},
		"no letter":  {map[string]string{"fail-under": "$(touch made)"}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, temp := repository(t), t.TempDir()
			write(t, filepath.Join(temp, "bin", "go"), fmt.Sprintf("#!/bin/sh\necho \"$@\" >%q\nmkdir -p \"$GOBIN\" && cp %q \"$GOBIN/toolvet\"\n", filepath.Join(temp, "asked"), toolvet), 0o755)
			summary := filepath.Join(temp, "summary.md")
			env := []string{"PATH=" + filepath.Join(temp, "bin") + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + filepath.Join(temp, "r u n"), "GITHUB_STEP_SUMMARY=" + summary, "GITHUB_WORKSPACE=" + dir, "HOME=" + temp}
			if err := os.Mkdir(filepath.Join(temp, "r u n"), 0o755); err != nil {
				t.Fatal(err)
			}
			inputs := map[string]string{"version": "main"}
			maps.Copy(inputs, tt.inputs)
			code, output := a.run(t, dir, inputs, env)
			if code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, output)
			}
			if got := strings.TrimSpace(read(filepath.Join(temp, "asked"))); got != "install github.com/toolvet/toolvet/cmd/toolvet@main" {
				t.Errorf("go was asked to %q", got)
			}
			if read(filepath.Join(dir, "made")) != "" || strings.Contains(output, "unbound") {
				t.Errorf("an input was run: %s", output)
			}
			if tt.sarif == "" {
				return
			}
			if got := read(filepath.Join(dir, tt.sarif)); !strings.Contains(got, `"uri": "servers/ping/main.py"`) {
				t.Errorf("the report has no place from the repository's root: %s", got)
			}
			if got := read(summary); !strings.Contains(got, "## toolvet audit: D") {
				t.Errorf("the summary is %q", got)
			}
		})
	}
}

// TestHook runs the hook of .pre-commit-hooks.yaml as pre-commit does.
func TestHook(t *testing.T) {
	t.Parallel()
	var hooks []struct {
		ID, Entry, Language string
		Args                []string
		PassFilenames       bool `yaml:"pass_filenames"`
	}
	if err := yaml.Unmarshal([]byte(read("../../../.pre-commit-hooks.yaml")), &hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("%+v: %v", hooks, err)
	}
	h := hooks[0]
	if h.ID != "toolvet-audit" || h.Language != "golang" || h.PassFilenames {
		t.Errorf("the hook is %+v", h)
	}
	// pre-commit cuts the entry as a shell does, and puts the arguments behind it.
	words := append(strings.Fields(h.Entry), h.Args...)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = repository(t)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "servers/ping/main.py:9") {
		t.Errorf("got %v: %s", err, out)
	}
	cmd = exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = repository(t)
	write(t, filepath.Join(cmd.Dir, "servers", "ping", "main.py"), strings.Replace(vulnerable, `os.system("ping -c 1 " + host)`, `import subprocess; subprocess.run(["ping", "-c", "1", "--", host])`, 1), 0o644)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("of a server without a weakness: %v: %s", err, out)
	}
}
