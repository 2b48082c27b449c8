// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

const licence = `// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

`

func TestLicenceHeader(t *testing.T) {
	t.Parallel()
	for _, s := range written(t) {
		if !strings.HasPrefix(s.text, licence) {
			t.Errorf("%s does not begin with the licence and an empty line:\n%s", s.name, licence)
		}
	}
}

// TestPackageComment checks that each package has one package comment.
func TestPackageComment(t *testing.T) {
	t.Parallel()
	comments := map[string]int{}
	for _, s := range written(t) {
		if s.test() {
			continue
		}
		doc := s.syntax.Doc.Text()
		comments[s.dir()] += min(len(doc), 1)
		if strings.Contains(doc, "SPDX-License-Identifier") {
			t.Errorf("%s: the licence is the package comment; put an empty line behind it", s.name)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(comments)) {
		if n := comments[dir]; n != 1 {
			t.Errorf("%s: %d package comments, want 1", dir, n)
		}
	}
}

// maxLines bounds a Go file: a longer one has more than one purpose.
const maxLines = 600

func TestFileLength(t *testing.T) {
	t.Parallel()
	for _, s := range written(t) {
		if n := strings.Count(s.text, "\n"); n > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it by purpose", s.name, n, maxLines)
		}
	}
}

// inits are the files that may have an init function.
var inits = map[string]string{
	"cmd/internal/hook/fast/try_unix.go":  "a host waits for a hook at every call of a tool, and not for the initialization of the whole program",
	"cmd/internal/hook/client/client.go":  "it takes over where the first try ends, and must deny whatever the rest of the program does",
	"cmd/internal/supervise/supervise.go": "a guard or supervisor must not wait for the initialization of the whole program",
}

// TestNoInit checks that importing a package does nothing: there is no registry, and main shows
// everything that runs.
func TestNoInit(t *testing.T) {
	t.Parallel()
	for _, s := range written(t) {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && inits[s.name] == "" {
				t.Errorf("%s has an init function: let the caller pass what it needs", s.name)
			}
		}
	}
}

// panics are the functions that may panic, by package and name.
var panics = map[string]string{
	"schema evaluator.abort":                                     "ends a deep recursion; Evaluate turns it into its error",
	"schema evaluator.outOfTime":                                 "ends a deep recursion; Evaluate turns it into its error",
	"schema evaluator.foreign":                                   "ends a deep recursion; Evaluate turns it into its error",
	"internal/protocol marshal":                                  "encodes only what the package built itself",
	"internal/protocol compact":                                  "reads only what is embedded, which its test does as well",
	"internal/policy decoder.value":                              "meets options of a Go type that it does not read: their author's mistake",
	"internal/audit/source/internal/flow Interp.abort":           "ends a deep recursion; Run turns it into its error",
	"internal/audit/source/javascript/internal/flow budget.stop": "ends a deep recursion; bounded goes on behind it",
	"internal/audit/source/internal/pyparse lexer.fail":          "ends a deep recursion; Parse turns it into its error",
	"internal/audit/source/internal/pyparse parser.fail":         "ends a deep recursion; Parse turns it into its error",
	"internal/audit/source/internal/pyparse lexer.recovering":    "lets through what is no syntax error",
	"internal/audit/source/internal/pyparse parser.statement":    "lets through what is no syntax error",
	"internal/wire/mcphttp Abort":                                "ends a connection without an answer, as net/http has it",
	"checks/command/internal/grammar embedded":                   "reads only what is embedded, which its test does as well",
	"internal/when parser.fail":                                  "ends a deep recursion; readEnglish turns it into its error",
	"internal/when readEnglish":                                  "lets through what is no error of the text",
	"internal/secrets must":                                      "reads and compiles only what is embedded, which its test does as well",
	"internal/packed Text":                                       "reads only what is embedded, which a test of its package does as well",
	"mcpgate ownTool":                                            "decodes a constant of package protocol",
	"mcpgo guard.ownTool":                                        "decodes a constant of package protocol",
}

func TestPanics(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range written(t) {
		if s.test() {
			continue
		}
		for _, name := range panicking(s.syntax) {
			name = s.dir() + " " + name
			seen[name] = true
			if panics[name] == "" {
				t.Errorf("%s: %q panics: return an error, or list it here with a reason", s.name, name)
			}
		}
	}
	for name := range panics {
		if !seen[name] {
			t.Errorf("%q does not panic any more: strike it from the list", name)
		}
	}
}

// panicking returns the functions of a file that call panic.
func panicking(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		name := "package"
		if f, ok := decl.(*ast.FuncDecl); ok {
			name = receiver(f) + f.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return true
		})
	}
	return names
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "."
	}
	return "?."
}
