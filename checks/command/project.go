// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A runner runs what files of the project tell. The files are patterns of names.
type runner struct{ programs, files string }

var runners = []runner{
	{"make gmake bmake", "Makefile makefile GNUmakefile"},
	{"npm pnpm yarn bun npx", "package.json"},
	{"pytest py.test tox nox python python3 pip pip3 uv", "conftest.py setup.py noxfile.py test_*.py sitecustomize.py usercustomize.py"},
	{"jest vitest eslint webpack vite rollup mocha npx npm pnpm yarn", "*.config.js *.config.mjs *.config.cjs .eslintrc.js"},
}

// fetchers run files of the project as well, of which only that they were fetched is judged.
var fetchers = []runner{
	{"rake bundle rails", "Rakefile *.rake Gemfile"},
	{"just", "justfile Justfile .justfile"},
	{"task", "Taskfile.yml Taskfile.yaml"},
	{"gradle gradlew", "*.gradle *.gradle.kts"},
	{"mvn mvnw", "pom.xml"},
	{"cmake ctest", "CMakeLists.txt *.cmake"},
	{"docker podman docker-compose", "Dockerfile Containerfile compose.yml compose.yaml docker-compose.yml docker-compose.yaml"},
	{"cargo", "build.rs Cargo.toml"},
	{"scons", "SConstruct SConscript"},
	{"bazel bazelisk", "BUILD BUILD.bazel WORKSPACE MODULE.bazel *.bzl"},
	{"npx npm pnpm yarn bun", "*.config.ts *.config.mts"},
	{"ansible-playbook", "*.yml *.yaml"},
	{"terraform tofu", "*.tf"},
}

// builders build or run files that they are given.
const builders = "go cargo rustc java javac kotlin scala tsx ts-node npx deno bun uv uvx make gmake node nodejs npm pnpm pip pip3 python python3 ipython docker podman zig dotnet"

// project judges the files by which a program runs others, if the line itself has written them. Their text from before the line, or from
// an editor, is the project's own.
func (j *judge) project(program string, s simple, r *grammar.Reading, depth int) {
	if len(j.made) == 0 && !j.unpacked || !j.spend(len(j.made)) { // each command looks at each file
		return
	}
	if j.unpacked && (contains(s.words[0], "/") || slices.ContainsFunc(runners, func(one runner) bool { return among(program, one.programs) }) ||
		among(program, "cargo go mvn gradle rake bundle ninja cmake ./configure") || among(program, shellNames+" "+interpreterNames) && len(r.Operands) > 0) {
		j.refuse(s.element(0), fetched, "runs what the line has just fetched and unpacked")
	}
	if among(program, builders) {
		for i, w := range s.words[1:] {
			_, value, _ := cut(w, "=")
			if j.made[j.at(w)] == insertion || value != "" && j.made[j.at(value)] == insertion || s.words[i] == "-m" && j.made[j.at(w+".py")] == insertion {
				j.refuse(s.element(i+1), piped, runsPrinted)
			}
		}
		for file, text := range j.made {
			if text == insertion && (program == "go" && ext(file) == ".go" || program == "cargo" && ext(file) == ".rs") {
				j.refuse(s.element(0), piped, runsPrinted)
			}
		}
	}
	for _, one := range fetchers {
		if !among(program, one.programs) {
			continue
		}
		for file, text := range j.made {
			if text == insertion && anyWord(strings.Fields(one.files), func(pattern string) bool {
				ok, _ := path.Match(pattern, lastStep(file))
				return ok
			}) {
				j.refuse(s.element(0), piped, runsPrinted)
			}
		}
	}
	for file, text := range j.made {
		if _, name, ok := cut(file, "node_modules/.bin/"); text == insertion && ok && holds(s.words, name) {
			j.refuse(s.element(0), piped, runsPrinted)
		}
	}
	for _, one := range runners {
		if !among(program, one.programs) {
			continue
		}
		for file, text := range j.made {
			for _, pattern := range strings.Fields(one.files) {
				if ok, _ := path.Match(pattern, lastStep(file)); !ok || holds(s.words, file) { // as a word, it is judged already
					continue
				}
				if !j.spend(len(text)) {
					return
				}
				j.run(pattern, text, r, depth)
			}
		}
	}
}

// judgePrinted refuses instructions that another command prints, for programs that take a file of them.
func judgePrinted(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, piped, runsPrinted, func(_ int, w string) bool { return contains(w, printedFile) })
}

// run judges the text of a file by which programs of the project run others.
func (j *judge) run(pattern, text string, r *grammar.Reading, depth int) {
	switch {
	case contains(text, insertion) && strings.TrimSpace(text) == insertion:
		j.refuse(-1, piped, runsPrinted)
	case contains(text, untold):
		j.refuse(-1, inCode, runsWritten)
	case contains(strings.ToLower(pattern), "makefile"):
		for _, m := range recipes.FindAllStringSubmatch(text, -1) {
			j.inline(makeVariables.ReplaceAllString(m[1], insertion), depth+1, true)
		}
	case pattern == "package.json":
		var p struct{ Scripts map[string]string }
		if json.Unmarshal([]byte(text), &p) != nil {
			return // no package manager can read it either
		}
		for _, line := range p.Scripts {
			j.inline(line, depth+1, true)
		}
	case hasSuffix(pattern, ".py"):
		j.code("python3", text, r, depth)
	default:
		j.code("node", text, r, depth)
	}
}

var (
	recipes       = lazyregexp.New(`(?m)^(?:[\t ]+|[\w.%/ -]+:[^=\n]*;)[ \t]*[@+-]*[ \t]*(.+)$`)
	makeVariables = lazyregexp.New(`\$\([\w .:%/=-]*\)|\$\{\w+\}|\$[@<^*?+%|]`)
)

// unpacks notes a command that unpacks a download of the same line.
func (r *reader) unpacks(s simple) {
	if line := strings.Join(s.words[:min(len(s.words), 3)], " "); line == "gh release download" || line == "gh run download" {
		r.unpacked = true
		return
	}
	if len(s.words) == 0 || !among(s.program(), "tar gtar bsdtar unzip 7z 7za 7zr cpio") {
		return
	}
	if r.foreign || anyWord(s.words[1:], func(w string) bool { return r.made[r.at(w)] == insertion }) {
		r.unpacked = true
	}
}
