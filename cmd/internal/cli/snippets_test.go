// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestSnippets takes each snippet of a policy that a draft or a message prints, and holds that some place of a policy takes it.
func TestSnippets(t *testing.T) {
	t.Parallel()
	checks := enforce.Checks(suite.Default())
	contexts := []string{
		"KEY: VALUE", "rules: [VALUE]", "servers: {s: VALUE}", "servers: {s: {KEY: VALUE}}", "servers: {s: {contain: {KEY: VALUE}}}", "servers: {s: {url: 'https://a.example', credentials: VALUE}}",
		"servers: {s: {tools: {t: {KEY: VALUE}}}}", "servers: {s: {agent: true, unasked: VALUE}}", "servers: {s: {agent: true, unasked: {KEY: VALUE}}}", "servers: {s: {tools: {t: {arguments: {KEY: VALUE}}}}}", "servers: {s: {tools: {t: {arguments: {a: {KEY: VALUE}}}}}}",
		"servers: {s: {tools: {t: {arguments: {a: {text: {KEY: VALUE}}}}}}}", "servers: {s: {tools: {t: {requires: [VALUE]}}}}", "servers: {s: {requests: {resources/read: VALUE}}}", "servers: {s: {tools: {t: {output: {injection: VALUE}}}}}",
	}
	for _, d := range checks.Demands() {
		contexts = append(contexts, "servers: {s: {tools: {t: {arguments: {a: {"+d.Name+": VALUE}}}}}}", "servers: {s: {tools: {t: {arguments: {a: {"+d.Name+": {KEY: VALUE}}}}}}}")
	}
	loads := func(key, value string) bool {
		return slices.ContainsFunc(contexts, func(context string) bool {
			if key == "" && strings.Contains(context, "KEY") {
				return false
			}
			text := "version: 1\n" + strings.NewReplacer("KEY", key, "VALUE", value).Replace(context) + "\n"
			p, err := policy.ParseWith(func(string) (string, bool) { return "x", true }, "p.yaml", []byte(text), checks.Demands()...)
			return err == nil && p.Validate(checks) == nil
		})
	}
	n := 0
	for _, s := range snippets(t, "../../../cmd/internal", "../../../internal/contain", "../../../internal/audit/classes", "../../../internal/preset") {
		if n++; strings.Contains(s.value, `[ \t]`) || s.value == "{x: xx}" || s.value == "{x}" {
			continue // a regular expression, and a format with nothing but verbs
		}
		s.value = strings.NewReplacer("{x: ['x']}", "{read: ['/x']}", "kinds: [x]", "kinds: [wipe]", "unasked: x", "unasked: {}").Replace(s.value) // of what is known later
		empty := strings.NewReplacer("{x}", "{}", "[x]", "[]").Replace(s.value)
		if !slices.ContainsFunc([]string{s.value, empty}, func(value string) bool { return loads(s.key, value) || loads("", value) }) {
			t.Errorf("%s: no place of a policy takes %s: %s", s.at, s.key, s.value)
		}
	}
	if n < 40 {
		t.Errorf("%d snippets were found", n)
	}
	if loads("rule", `{effect: deny, when: "'proxy' in args"}`) {
		t.Error("a rule without a name loads")
	}
}

// A snippet is a part of a policy in the text of a program: a mapping or a list, and the key before it.
type snippet struct{ at, key, value string }

// snippetAt finds the key of a snippet, as policies write it, and the beginning of its value.
var snippetAt = regexp.MustCompile(`\b([a-z_]+): ?[\[{]`)

// snippets finds those in the strings of programs: the outermost mappings and lists with keys. Concatenated strings and verbs of formats stand for a name.
func snippets(t *testing.T, dirs ...string) (list []snippet) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/gen/") || strings.Contains(path, "/test/") || strings.Contains(path, "/kit/") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				if _, isTag := n.(*ast.BasicLit); !isTag {
					if b, isSum := n.(*ast.BinaryExpr); !isSum || b.Op != token.ADD {
						return true
					}
				}
				text, ok := written(e)
				if ok {
					for _, s := range snippetsIn(text) {
						s.at = fmt.Sprint(files.Position(n.Pos()))
						list = append(list, s)
					}
				}
				return false
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// written is the text of a string, in which x stands for what is known only later.
func written(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, is := written(e.X)
		right, too := written(e.Y)
		return left + right, is || too
	}
	return "x", false
}

// snippetsIn finds the snippets of a text.
func snippetsIn(text string) (list []snippet) {
	text = regexp.MustCompile(`%(\[\d\])?[sqdv]|…|\.\.\.`).ReplaceAllString(text, "x")
	for {
		m := snippetAt.FindStringSubmatchIndex(text)
		if m == nil {
			return list
		}
		from, end := m[1]-1, balanced(text[m[1]-1:])
		if before := strings.LastIndexByte(text[:m[2]], '{'); before >= 0 && before+balanced(text[before:]) > from && !strings.ContainsAny(text[before:m[2]], "\n") { // it is inside of one
			m[2], m[3], from = before, before, before
			end = balanced(text[before:])
		}
		if end == 0 {
			text = text[m[1]:]
			continue
		}
		list = append(list, snippet{key: text[m[2]:m[3]], value: text[from : from+end]})
		text = text[from+end:]
	}
}

// balanced is the length of the brackets at the beginning of a text; 0 if they do not end.
func balanced(text string) int {
	depth := 0
	for i, r := range text {
		switch r {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			return 0
		}
	}
	return 0
}
