// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// A module is one file.
type module struct {
	file   string
	body   []*flow.Stmt
	value  flow.Value
	loaded bool
	busy   bool // it is being run
	stale  bool // it imports names of a module that was being run
}

// lang knows the modules of the program and Python's libraries.
type lang struct {
	table *table
	// wrapped are the functions of functools.wraps(f), by the name of the decorator; wraps is the
	// function that another stands for.
	wrapped map[string]flow.Value
	wraps   map[any]flow.Value
	byName  map[string]*module // by dotted name, as any directory on the path gives it
	byFile  map[string]*module // "a/b" for a/b.py and a/b/__init__.py
	order   []*module
	changed map[string]bool // see flow.Interp
	rpc     bool            // decoded values are requests of JSON-RPC
	steps   int             // that a module may take
	cut     func(m *module, err error)
}

func newLang() *lang {
	return &lang{table: newTable(), wrapped: map[string]flow.Value{}, wraps: map[any]flow.Value{}, byName: map[string]*module{}, byFile: map[string]*module{}, changed: map[string]bool{}}
}

func (l *lang) add(file string, body []*flow.Stmt) {
	m := &module{file: file, body: body}
	l.order = append(l.order, m)
	l.changes(body, "")
	name := strings.TrimSuffix(file, ".py")
	if path.Base(name) == "__init__" {
		name = path.Dir(name)
	}
	l.byFile[name] = m
}

// changes notes the names assigned by functions, global variables and attributes, except in
// constructors.
func (l *lang) changes(body []*flow.Stmt, within string) {
	for _, s := range body {
		switch s.Op {
		case flow.Outer:
			for _, n := range s.Names {
				l.changed[n] = true
			}
		case flow.Assign:
			for _, t := range s.Targets {
				if t.Op == flow.Attr && within != "" && within != "__init__" {
					l.changed[t.S] = true
				}
			}
		case flow.Def:
			l.changes(s.Fn.Body, s.Fn.Name)
		case flow.Class:
			l.changes(s.Cls.Body, "")
		}
		l.changes(s.Body, within)
		l.changes(s.Else, within)
		l.changes(s.Final, within)
		for _, h := range s.Handlers {
			l.changes(h.Body, within)
		}
	}
}

// names lists the dotted names for importing each module: from the directory, and from each
// directory below that is not a package itself.
func (l *lang) names() {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range l.byFile {
			if !yield(n) {
				return
			}
		}
	}) {
		parts := strings.Split(name, "/")
		for i := range parts {
			dotted := strings.Join(parts[i:], ".")
			if _, taken := l.byName[dotted]; !taken {
				l.byName[dotted] = l.byFile[name]
			}
			if _, isPackage := l.byFile[strings.Join(parts[:i+1], "/")]; isPackage {
				break
			}
		}
	}
}

// load runs a module, once. Each has steps of its own: a module that needs too many is cut, and its
// importers go on.
func (l *lang) load(in *flow.Interp, m *module) {
	if m.loaded {
		return
	}
	if len(l.byName) == 0 {
		l.names()
	}
	m.loaded = true
	m.value = in.Module(m.file)
	l.run(in, m)
}

// run runs the statements of a module.
func (l *lang) run(in *flow.Interp, m *module) {
	m.busy = true
	defer func() { m.busy = false }()
	if err := in.Run(l.steps, func() { in.AtStart(func() { in.Exec(m.value, m.body) }) }); err != nil {
		l.cut(m, err)
	}
}

// find is the module named by an import in a file.
func (l *lang) find(in *flow.Interp, from, name string) (*module, bool) {
	var m *module
	if strings.HasPrefix(name, ".") {
		rest := strings.TrimLeft(name, ".")
		dir := path.Dir(from)
		for range len(name) - len(rest) - 1 {
			dir = path.Dir(dir)
		}
		m = l.byFile[path.Join(dir, strings.ReplaceAll(rest, ".", "/"))]
	} else {
		m = l.byName[name]
		if m == nil && !strings.Contains(name, ".") {
			m = l.byFile[path.Join(path.Dir(from), name)]
		}
	}
	if m == nil || m.file == from {
		return nil, false
	}
	l.load(in, m)
	return m, true
}

// Import implements [flow.Lang].
func (l *lang) Import(in *flow.Interp, s *flow.Stmt) []flow.Value {
	if len(s.Names) == 0 {
		return []flow.Value{l.importModule(in, s)}
	}
	m, found := l.find(in, s.Pos.File, s.S)
	if s.Names[0] == "*" {
		if found {
			l.behind(s.Pos.File, m)
			in.CopyNames(m.value)
		}
		return nil
	}
	var out []flow.Value
	for _, n := range s.Names {
		out = append(out, l.importName(in, s, m, found, n))
	}
	return out
}

func (l *lang) importName(in *flow.Interp, s *flow.Stmt, m *module, found bool, n string) flow.Value {
	if found && in.HasField(m.value, n) {
		return in.Field(m.value, n)
	}
	sep := "."
	if strings.HasSuffix(s.S, ".") {
		sep = ""
	}
	if sub, ok := l.find(in, s.Pos.File, s.S+sep+n); ok {
		return sub.value
	}
	if found {
		l.behind(s.Pos.File, m)
		return flow.Value{}
	}
	return flow.NativeValue(canonical(s.S + sep + n))
}

// behind notes that a file imports a module before all of its names are there: modules that import
// each other begin here in another order than where the program starts.
func (l *lang) behind(file string, m *module) {
	if !m.busy {
		return
	}
	for _, other := range l.order {
		if other.file == file {
			other.stale = true
		}
	}
}

// again runs modules once more that lacked names of others.
func (l *lang) again(in *flow.Interp) {
	for _, m := range l.order {
		if m.stale {
			l.run(in, m)
		}
	}
}

// importModule is the value bound by "import a.b" or "import a.b as c".
func (l *lang) importModule(in *flow.Interp, s *flow.Stmt) flow.Value {
	bound := s.S
	if s.Type != nil {
		bound = s.Type.S
		if m, ok := l.find(in, s.Pos.File, s.S); ok { // import a.b binds a, with b as a field
			pkg, found := l.find(in, s.Pos.File, bound)
			v := in.Module(bound)
			if found {
				v = pkg.value
			}
			inner := v
			parts := strings.Split(s.S, ".")
			for _, p := range parts[1 : len(parts)-1] {
				next := in.Module(p)
				in.SetField(inner, p, next)
				inner = next
			}
			in.SetField(inner, parts[len(parts)-1], m.value)
			return v
		}
	}
	if m, ok := l.find(in, s.Pos.File, bound); ok {
		return m.value
	}
	return flow.NativeValue(canonical(bound))
}

// canonical is one name for things with several.
func canonical(name string) string {
	for _, r := range [][2]string{
		{"posixpath", "os.path"}, {"ntpath", "os.path"}, {"anyio.Path", "pathlib.Path"}, {"aiopath.AsyncPath", "pathlib.Path"},
		{"aiofiles.os.", "os."}, {"pathlib.PurePath", "pathlib.Path"}, {"pathlib.PosixPath", "pathlib.Path"}, {"pathlib.PurePosixPath", "pathlib.Path"},
	} {
		if name == strings.TrimSuffix(r[0], ".") || strings.HasPrefix(name, r[0]) && strings.HasSuffix(r[0], ".") {
			return r[1] + strings.TrimPrefix(name, r[0])
		}
		if strings.HasPrefix(name, r[0]+".") {
			return r[1] + strings.TrimPrefix(name, r[0])
		}
	}
	return name
}

var builtins = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields("open str repr bytes bytearray int float bool len list tuple set frozenset sorted reversed iter next dict isinstance issubclass any all min max sum zip enumerate map filter getattr setattr hasattr print super type id eval exec compile range abs round chr ord hex vars dir callable format input object property staticmethod classmethod __import__ globals locals hash divmod pow slice memoryview") {
		out[n] = true
	}
	return out
}()

// Name implements [flow.Lang].
func (l *lang) Name(_ *flow.Interp, e *flow.Expr) (flow.Value, bool) {
	if e.Op == flow.Native {
		return flow.NativeValue(e.S), true
	}
	if builtins[e.S] {
		return flow.NativeValue(e.S), true
	}
	return flow.Value{}, false
}

// A function and the way to it: by its name, or as a method of a class.
type function struct {
	fn   *flow.Func
	ref  *flow.Expr
	self *flow.Expr
}

// functions are those of a module, methods included, but not those within others.
func functions(body []*flow.Stmt) []function {
	var out []function
	for _, s := range body {
		switch s.Op {
		case flow.Def:
			out = append(out, function{fn: s.Fn, ref: s.Targets[0]})
		case flow.Class:
			cls := &flow.Expr{Op: flow.Name, S: s.Cls.Name, Pos: s.Pos}
			for _, m := range functions(s.Cls.Body) {
				if m.self == nil {
					out = append(out, function{fn: m.fn, ref: &flow.Expr{Op: flow.Attr, X: cls, S: m.fn.Name, Pos: s.Pos}, self: cls})
				}
			}
		case flow.If, flow.Try:
			out = append(out, functions(s.Body)...)
			out = append(out, functions(s.Else)...)
		}
	}
	return out
}

// registers reports whether something within a function looks like the registration of a tool.
func registers(f function) bool {
	return slices.ContainsFunc(f.fn.Body, registersStmt)
}

func registersStmt(s *flow.Stmt) bool {
	if s.Fn != nil && slices.ContainsFunc(s.Fn.Decorators, registersExpr) {
		return true
	}
	for _, list := range [][]*flow.Stmt{s.Body, s.Else, s.Final} {
		if slices.ContainsFunc(list, registersStmt) {
			return true
		}
	}
	for _, h := range s.Handlers {
		if slices.ContainsFunc(h.Body, registersStmt) {
			return true
		}
	}
	return registersExpr(s.X)
}

func registersExpr(e *flow.Expr) bool {
	if e == nil {
		return false
	}
	if e.Op == flow.Attr && (e.S == "tool" || e.S == "call_tool" || e.S == "add_tool") {
		return true
	}
	return registersExpr(e.X) || slices.ContainsFunc(e.List, registersExpr)
}
