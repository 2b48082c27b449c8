// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/audit/source/internal/pyparse"
	"github.com/toolvet/toolvet/internal/test/need"
)

// script tells, for each file named on the standard input, its functions and calls as Python's own
// parser sees them.
const script = `
import ast, sys
for path in sys.stdin.read().split("\n"):
    if not path: continue
    try:
        tree = ast.parse(open(path, encoding="utf-8").read())
    except (SyntaxError, UnicodeDecodeError, ValueError):
        continue
    print("file", path)
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            a = n.args
            print("def", n.name, len(a.posonlyargs) + len(a.args) + len(a.kwonlyargs) + bool(a.vararg) + bool(a.kwarg))
        elif isinstance(n, ast.ClassDef):
            print("class", n.name, len(n.bases))
        elif isinstance(n, ast.Call):
            print("call", n.lineno, len(n.args) + len(n.keywords))
        elif isinstance(n, ast.Attribute):
            print("attr", n.attr)
        elif isinstance(n, (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, getattr(ast, "TryStar", ast.Try), ast.Raise, ast.Assert)):
            print("stmt", n.lineno)
`

// TestAgainstPython reads the standard library of Python, and compares with what Python's own
// parser makes of it.
func TestAgainstPython(t *testing.T) {
	t.Parallel()
	python := need.Python.Program(t, "python3")
	files := library(t, python)
	cmd := exec.Command(python, "-c", script)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Skip("python3 does not run: ", err)
	}
	want := map[string][]string{}
	file := ""
	sc := bufio.NewScanner(bytes.NewReader(out))
	for sc.Scan() {
		if name, ok := strings.CutPrefix(sc.Text(), "file "); ok {
			file = name
			want[file] = nil
			continue
		}
		want[file] = append(want[file], sc.Text())
	}
	if len(want) < 50 {
		t.Fatalf("only %d files were compared", len(want))
	}
	bad, all, lost := 0, 0, 0
	for _, name := range files {
		lines, ok := want[name]
		if !ok || bad > 5 {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		body, errs := pyparse.Parse(name, string(src))
		for _, e := range errs {
			t.Errorf("%s: %v", name, e)
			bad++
		}
		missed, more := difference(lines, seen(body))
		all, lost = all+len(lines), lost+len(missed)
		if len(more) > 0 {
			bad++
			t.Errorf("%s: Python sees nothing of %q", name, more)
		}
		for _, m := range missed {
			if !strings.HasPrefix(m, "attr") && !strings.HasPrefix(m, "call") {
				bad++
				t.Errorf("%s: %q is not seen", name, m)
			}
		}
	}
	// types of exceptions, targets of del and annotations are read and not kept
	if all < 10000 || lost > all/100 {
		t.Errorf("of %d things that Python sees, %d are not seen", all, lost)
	}
}

// difference is what the first of two sorted lists has more than the second, and the reverse.
func difference(want, got []string) (missed, more []string) {
	slices.Sort(want)
	slices.Sort(got)
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case j == len(got) || i < len(want) && want[i] < got[j]:
			missed = append(missed, want[i])
			i++
		case i == len(want) || got[j] < want[i]:
			more = append(more, got[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return missed, more
}

// library are files of the standard library: at most 200, spread over it.
func library(t *testing.T, python string) []string {
	t.Helper()
	out, err := exec.Command(python, "-c", `
import sysconfig, os
for root, dirs, files in os.walk(sysconfig.get_path("stdlib")):
    dirs[:] = sorted(d for d in dirs if d not in ("site-packages", "lib2to3", "__pycache__", "test", "tests"))
    for f in sorted(files):
        if f.endswith(".py"): print(os.path.join(root, f))
`).Output()
	if err != nil {
		t.Skip("python3 does not run: ", err)
	}
	files := strings.Fields(string(out))
	limit := 200
	if os.Getenv("TOOLVET_ALL") != "" {
		limit = len(files)
	}
	if len(files) <= limit {
		return files
	}
	var some []string
	for i := range limit {
		some = append(some, files[i*len(files)/limit])
	}
	return some
}

// seen are the functions, classes, calls and attributes of statements, in the words of script.
func seen(body []*flow.Stmt) []string {
	w := &walker{done: map[any]bool{}}
	w.walk(reflect.ValueOf(body))
	return w.out
}

type walker struct {
	out  []string
	done map[any]bool
}

func (w *walker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || w.done[v.Interface()] {
			return
		}
		w.done[v.Interface()] = true
		w.note(v.Interface())
		w.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	}
}

func (w *walker) note(x any) {
	switch x := x.(type) {
	case *flow.Func:
		if x.Name != "lambda" {
			w.out = append(w.out, fmt.Sprintf("def %s %d", x.Name, len(x.Params)))
		}
	case *flow.ClassDef:
		w.out = append(w.out, fmt.Sprintf("class %s %d", x.Name, len(x.Bases)))
	case *flow.Expr:
		switch {
		case x.Op == flow.Call && x.X.Op != flow.Native:
			w.out = append(w.out, fmt.Sprintf("call %d %d", x.Pos.Line, len(x.List)))
		case x.Op == flow.Attr:
			w.out = append(w.out, "attr "+x.S)
		}
	case *flow.Stmt:
		if x.S == "case" {
			return
		}
		switch x.Op {
		case flow.If, flow.While, flow.For, flow.Try, flow.Raise, flow.Assert:
			w.out = append(w.out, fmt.Sprintf("stmt %d", x.Pos.Line))
		}
	}
}
