// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkouts are made up: one repository of each kind.
var checkouts = map[string]string{
	"tldr/pages/common/git-log.md": `# git log

- Show a file:

` + "`git log {{[-p|--patch]}} {{path/to/file1 path/to/file2 ...}}`" + `

- Publish:

` + "`git push {{[-f|--force]}}`" + `
`,
	"tldr/pages/common/sl.md": `` + "`sl`" + `
`,
	"app/package.json": `{"scripts": {"build": "tsc -p .", "deploy": "npm publish"}}
`,
	"app/node_modules/other/package.json": `{"scripts": {"build": "not ours"}}
`,
	"app/Makefile": `OUT ?= bin # a remark
GO := $(Q)go
build:
	@echo building
	@mkdir -p $(OUT) && $(CC) -o $(OUT)/$@ $<
	$(UNKNOWN) ./...
	for f in *.c; do echo $$f; done
`,
	"app/.github/workflows/ci.yml": `jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - run: go test -run ${{ matrix.test }} ./...
      - run: echo ok >> $GITHUB_OUTPUT
      - run: Get-ChildItem
        shell: pwsh
`,
	"app/README.md": `` + "```sh\ngo run .\nUsage: app\n```" + `
`,
	"app/justfile": `out := "bin"
build:
    @mkdir -p {{out}} && go build -o {{out}}/x
    python {{unknown}}
    if true; then
py:
    #!/usr/bin/env python3
    print(1)
`,
	"app/docs/use.md": `` + "```sh\ngo tool cover x\nkubectl delete pod x\n```" + `
`,
	"tldr/pages/common/asciinema.md": `# asciinema

` + "`asciinema play {{path/to/file}}`" + `
`,
	"lib/README.md": `` + "```console\n$ go vet ./...\nwarning: two\n```\n\n```go\nnot a shell\n```" + `
`,
	"safe/commands/go/go.toml": `examples_safe = [
    "go doc -all \"fmt\"",
    'go version',
]
`,
	"safe/src/handlers/awk.rs": `    safe! {
        plain: "awk '{print $1}' file.txt",
    }
`,
	"corpus/commands/pages/common/p10k.md.jsonl": `{"input": "p10k reload"}
`,
	"corpus/commands/commits/app.jsonl": `{"input": ["git", "commit", "-m", "it's done"]}
not a row
`,
	"trace/transcripts/one.md": `- **Project Path**: ` + "`/home/u/app`" + `
{"command": "cat /home/u/app/main.go"}
<tool-use data-tool-type="shell" data-tool-name="Bash"><details>

` + "`go test ./...`" + `
</details></tool-use>
`,
	"moat/tests/conformance/attacks.yaml": `- id: T1-cat
  threat: T1
  action: { shell: "cat ~/.ssh/id_rsa" }
- id: T9-write
  threat: T9
  context: { cwd: /q }
  action: { fs_write: "~/.zshrc" }
  links: { /q/a: /b }
- id: T9-patch
  threat: T9
  action: { patch: ["a", "~/.zshrc"] }
- id: T8-mcp
  threat: T8
  action: { mcp_tool: { name: mcp__fs__read, reads: ["~/x"], hosts: ["https://h"], unchecked: "deep" } }
`,
}

// unpack writes the checkouts and returns their directories.
func unpack(t *testing.T) (dirs []string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(checkouts)) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(checkouts[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(name, "/")
		if dir := filepath.Join(root, first); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// TestHarmless makes the lists of made-up checkouts: the lines of all kinds, none twice, none that a reader dropped, and the same with the same seed.
func TestHarmless(t *testing.T) {
	dirs := unpack(t)
	out := t.TempDir()
	drop := filepath.Join(out, "drop.jsonl")
	if err := os.WriteFile(drop, []byte(`"go  version"`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := func(seed string) string {
		args := append([]string{"harmless", "-out", out, "-seed", seed, "-drop", drop, "-want", "tldr=9,npm=9,make=9,ci=9,readme=9,safe=9,agents=9,just=9,docs=9,pages=9,corpus=9,commits=9"}, dirs...)
		if err := run(args); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, half := range []string{"seen.txt", "hidden.txt"} {
			raw, err := os.ReadFile(filepath.Join(out, half))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(raw))
		}
		return strings.Join(all, "====\n")
	}
	first := made("7")
	if again := made("7"); again != first {
		t.Errorf("another result with the same seed:\n%s", again)
	}
	for _, want := range []string{
		`"git log --patch path/to/file1"`, `"tsc -p ."`, `"mkdir -p bin && cc -o bin/target source.c"`, `"for f in *.c; do echo $f; done"`, `"go test -run test ./..."`,
		`"mkdir -p bin && go build -o bin/x"`, `"go tool cover x"`, `"asciinema play path/to/file"`,
		`"go run ."`, `"go vet ./..."`, `"go doc -all \"fmt\""`, `"awk '{print $1}' file.txt"`, `"cat ./main.go"`, `"go test ./..."`,
		`"p10k reload"`, `"git commit -m \"it's done\""`,
	} {
		if n := strings.Count(first, `{"line":`+want); n != 1 {
			t.Errorf("%s is there %d times in\n%s", want, n, first)
		}
	}
	if n := strings.Count(first, `"line"`); n != 17 {
		t.Errorf("%d lines in\n%s", n, first)
	}
	seen, hidden, _ := strings.Cut(first, "====\n")
	if !strings.Contains(seen, `"readme"`) || !strings.Contains(hidden, `"readme"`) {
		t.Errorf("two repositories are not in two halves:\n%s", first)
	}
}

// TestOpenmoat turns made-up fixtures into calls.
func TestOpenmoat(t *testing.T) {
	out := t.TempDir()
	if err := run(append([]string{"openmoat", "-out", out, "-seen", "1"}, unpack(t)...)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(out, "seen.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"tool_input":{"command":"cat ~/.ssh/id_rsa"},"tool_name":"Bash"`,
		`"cwd":"/q","event":`, `"setup":{"links":{"/q/a":"/b"}}`,
		`"tool_input":{"file_path":"/Users/me/.zshrc","new_string":"b","old_string":"a"},"tool_name":"Edit"`,
		`"path":"/Users/me/x","url":"https://h"},"tool_name":"mcp__fs__read"`,
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in\n%s", want, raw)
		}
	}
}

// TestRefused shows what the program says to wrong words.
func TestRefused(t *testing.T) {
	for _, c := range [][]string{nil, {"harmless"}, {"harmless", "-out", "x", "-want", "nothing=3", "y"}, {"harmless", "-out", "x", "-want", "tldr=few", "y"}, {"other", "-out", "x", "y"}} {
		if err := run(c); err == nil {
			t.Errorf("%q passed", c)
		}
	}
}
