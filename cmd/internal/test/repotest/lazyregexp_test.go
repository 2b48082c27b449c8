// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// TestLazyRegexps compiles the regular expressions that programs compile when they first use them. Those that are not
// written as a whole where they are used are left to the tests of their packages.
func TestLazyRegexps(t *testing.T) {
	t.Parallel()
	compiled, left := 0, 0
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !isMember(call.Fun, "lazyregexp", "New") {
				return true
			}
			text, ok := literalText(call.Args[0])
			if !ok {
				left++
				return true
			}
			compiled++
			if _, err := regexp.Compile(text); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			return true
		})
	}
	if compiled < 250 || left > 12 {
		t.Errorf("%d expressions were compiled, and %d could not be read", compiled, left)
	}
	t.Logf("%d expressions, and %d that could not be read", compiled, left)
}

func isMember(e ast.Expr, pkg, name string) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	x, ok := selector.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// literalText returns what an expression of string literals and + stands for.
func literalText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.ParenExpr:
		return literalText(e.X)
	case *ast.BinaryExpr:
		x, left := literalText(e.X)
		y, right := literalText(e.Y)
		return x + y, left && right && e.Op == token.ADD
	}
	return "", false
}
