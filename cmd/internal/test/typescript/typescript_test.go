// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package typescript

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

const root = "../../../.."

// patience bounds each command. Most take seconds.
const patience = 4 * time.Minute

// TestPackage builds and tests the package in a copy of its own, and then uses it as others do.
func TestPackage(t *testing.T) {
	race.Skip(t)
	need.Minutes(t)
	for _, program := range []string{"node", "npm"} {
		need.Node.Program(t, program)
	}
	dir := copied(t, "protocol/typescript")
	if out, err := run(t, dir, "npm", "ci", "--ignore-scripts"); err != nil {
		need.Packages.Missing(t, fmt.Sprintf("npm ci: %v\n%s", err, out))
	}
	must(t, dir, "npm", "run", "build")
	out := must(t, dir, "npm", "test")
	if !strings.Contains(out, " fail 0") || !strings.Contains(out, " skipped 0") {
		t.Errorf("npm test:\n%s", out)
	}
	t.Run("imports", func(t *testing.T) {
		const names = `[typeof all.addValidation, typeof all.validate, typeof server.addValidation, typeof client.hasCapability].join()`
		const want = "function,function,function,function"
		if got := must(t, dir, "node", "--input-type=module", "-e", `
			import * as all from '@toolvet/tool-validation';
			import * as server from '@toolvet/tool-validation/server';
			import * as client from '@toolvet/tool-validation/client';
			console.log(`+names+`);`); strings.TrimSpace(got) != want {
			t.Errorf("import: %s", got)
		}
		if got := must(t, dir, "node", "--input-type=commonjs", "-e", `
			const all = require('@toolvet/tool-validation');
			const server = require('@toolvet/tool-validation/server');
			const client = require('@toolvet/tool-validation/client');
			console.log(`+names+`);`); strings.TrimSpace(got) != want {
			t.Errorf("require: %s", got)
		}
	})
	t.Run("template", func(t *testing.T) { template(t, dir) })
	toolvet := filepath.Join(t.TempDir(), "toolvet.exe")
	cmd := exec.Command("go", "build", "-o", toolvet, "../../../../cmd/toolvet")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as CI has compiled it
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building toolvet: %v\n%s", err, out)
	}
	t.Run("conformance", func(t *testing.T) { conformance(t, dir, toolvet) })
	t.Run("client", func(t *testing.T) { clients(t, dir, toolvet) })
	t.Run("inspector", func(t *testing.T) { inspector(t, dir, toolvet) })
}

// conformance plays the kit of the validation protocol against the fixtures, with both generations of the SDK.
func conformance(t *testing.T, dir, toolvet string) {
	for _, args := range [][]string{
		{"--sdk", "--", "node", "build/fixture/server.js"},
		{"--sdk", "--", "node", "build/fixture/server2.js"},
		{"--client", "--", "node", "build/fixture/client.js", "1"},
		{"--client", "--", "node", "build/fixture/client.js", "2"},
	} {
		if out, err := run(t, dir, toolvet, append([]string{"conformance"}, args...)...); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		} else {
			t.Logf("%v: %s", args, out)
		}
	}
}

// template follows the readme of the template, with the package as it would be published.
func template(t *testing.T, dir string) {
	packed := strings.TrimSpace(must(t, dir, "npm", "pack", "--ignore-scripts", "--silent"))
	server := copied(t, "protocol/templates/typescript")
	must(t, server, "npm", "install", "--ignore-scripts", filepath.Join(dir, packed))
	readme, err := os.ReadFile(filepath.Join(server, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(readme)) {
		if strings.HasPrefix(line, `{"jsonrpc"`) {
			lines = append(lines, line)
		}
	}
	must(t, server, "npm", "run", "build")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "dist/server.js")
	cmd.Dir, cmd.Stdin, cmd.Stderr = server, strings.NewReader(strings.Join(lines, "")), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"toolValidation":{"supported":true`, `"/path: is no directory"`, `did you mean \"full\"?`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the answers lack %s:\n%s", want, out)
		}
	}
}

// copied returns a copy of a directory of the repository, without the products of npm.
func copied(t *testing.T, dir string) string {
	t.Helper()
	from, to := filepath.Join(root, filepath.FromSlash(dir)), t.TempDir()
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"node_modules", "dist", "build"}, entry.Name()) {
			return fs.SkipDir
		}
		short, err := filepath.Rel(from, name)
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, short)), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, short), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func run(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	grammar, err := filepath.Abs(filepath.Join(root, "internal", "protocol"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TOOLVET_GRAMMAR="+grammar)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}
