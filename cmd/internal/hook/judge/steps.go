// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolvet/toolvet/internal/subpath"
)

// The check command reads a line alone. Where the line runs, the file system tells which files a walk, a pattern or a list of names reaches.

// A file is one below a directory in which a line runs.
type file struct {
	path   string
	secret bool // it holds secrets, so git does not have it
}

// names reports whether a word, or a command that prints names, gives the name of a file. Nil gives none.
type names func(file) bool

// A stepWord is a word as its program gets it. From is set instead if the names of files come from a loop or from another command.
type stepWord struct {
	text string
	glob bool
	from names
	held bool // what a file holds is put in
}

// A simple is one command of a line.
type simple struct {
	words  []stepWord
	dir    string
	in     []*simple  // the commands before it in its pipe
	writes []stepWord // the files that redirections empty or write
	adds   []stepWord // and those that they lengthen
	text   string     // its words, and the documents given to it
	saved  bool       // its output goes to a file
	input  string     // the file that it reads
}

// program returns the name of the program without its directory.
func (s *simple) program() string {
	if len(s.words) == 0 {
		return ""
	}
	return filepath.Base(s.words[0].text)
}

// has reports whether one of the words is in a list, in which blanks divide.
func (s *simple) has(list string) bool {
	return slices.ContainsFunc(s.words, func(w stepWord) bool { return among(w.text, list) })
}

func among(word, list string) bool { return word != "" && slices.Contains(strings.Fields(list), word) }

// short reports whether an option of single letters has one of some letters.
func (s *simple) short(letters string) bool {
	return slices.ContainsFunc(s.words, func(w stepWord) bool {
		return len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' && strings.ContainsAny(w.text, letters)
	})
}

// operands are the words behind the program that are no options, as far as one can tell without knowing the program.
func (s *simple) operands() (list []stepWord) {
	ended := false
	for _, w := range s.words[min(1, len(s.words)):] {
		switch {
		case !ended && w.text == "--":
			ended = true
		case ended || w.from != nil || !strings.HasPrefix(w.text, "-") || w.text == "-":
			list = append(list, w)
		}
	}
	return list
}

// A stepReader reads the steps of a line.
type stepReader struct {
	dir, home string
	loops     map[string]names
	in        []*simple
	steps     []*simple
}

// stepsOf returns the steps of a line, nil if it cannot be read.
func stepsOf(line, dir string) []*simple { return stepsWith(line, dir, map[string]names{}) }

// stepsWith does so with variables that hold names of files.
func stepsWith(line, dir string, loops map[string]names) []*simple {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	r := &stepReader{dir: dir, loops: loops}
	r.home, _ = os.UserHomeDir()
	r.list(f.Stmts)
	return r.steps
}

func (r *stepReader) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		r.stmt(s)
	}
}

func (r *stepReader) stmt(s *syntax.Stmt) {
	begins := len(r.steps)
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		before, in := len(r.steps), r.in
		r.stmt(c.X)
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			r.in = append(slices.Clone(in), r.steps[before:]...)
		}
		r.stmt(c.Y)
		r.in = in
	case *syntax.Block:
		r.list(c.Stmts)
	case *syntax.Subshell:
		dir := r.dir
		r.list(c.Stmts)
		r.dir = dir
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.list(c.Cond)
			r.list(c.Then)
		}
	case *syntax.WhileClause:
		r.list(c.Cond)
		if n := len(r.steps); n > begins && r.steps[n-1].program() == "read" && len(r.in) > 0 {
			printed := listed(r.in)
			for _, w := range r.steps[n-1].operands() {
				r.loops[w.text] = printed
			}
		}
		r.list(c.Do)
	case *syntax.ForClause:
		if loop, ok := c.Loop.(*syntax.WordIter); ok {
			var all []stepWord
			for _, w := range loop.Items {
				all = append(all, r.word(w))
			}
			dir := r.dir
			r.loops[loop.Name.Value] = func(f file) bool { return named(all, dir, f, false) }
		}
		r.list(c.Do)
	case *syntax.CaseClause:
		for _, i := range c.Items {
			r.list(i.Stmts)
		}
	case *syntax.FuncDecl:
		r.stmt(c.Body)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt)
		}
	}
	if len(s.Redirs) == 0 {
		return
	}
	if len(r.steps) == begins { // : > x, or > x alone
		r.steps = append(r.steps, &simple{dir: r.dir})
	}
	last := r.steps[len(r.steps)-1]
	for _, to := range s.Redirs {
		if to.Hdoc != nil {
			last.text += "\n" + r.word(to.Hdoc).text
		}
		w := r.word(to.Word)
		switch {
		case to.Op == syntax.RdrIn:
			last.input = w.text
		case to.N != nil && to.N.Value != "1":
		case to.Op == syntax.RdrOut || to.Op == syntax.RdrAll || to.Op == syntax.RdrClob:
			last.writes = append(last.writes, w)
		case to.Op == syntax.AppOut || to.Op == syntax.AppAll:
			last.adds = append(last.adds, w)
		default:
			continue
		}
		for _, one := range r.steps[begins:] {
			one.saved = true
		}
	}
}

// starters start the program in the words behind them, on the same files.
const starters = "sudo command env time nice nohup builtin exec doas"

func (r *stepReader) call(c *syntax.CallExpr) {
	s := &simple{dir: r.dir, in: r.in}
	for _, w := range c.Args {
		s.words = append(s.words, r.word(w))
	}
	for len(s.words) > 1 && among(s.words[0].text, starters) {
		s.words = s.words[1:]
	}
	for _, w := range s.words {
		s.text += " " + w.text
	}
	if len(s.words) == 0 {
		return
	}
	switch program := s.program(); {
	case program == "cd" || program == "pushd":
		to := r.home
		if rest := s.operands(); len(rest) > 0 {
			to = rest[0].text
		}
		r.dir = under(r.dir, to)
	case program == "git":
		for len(s.words) > 2 && strings.HasPrefix(s.words[1].text, "-") {
			if s.words[1].text == "-C" {
				s.dir = under(s.dir, s.words[2].text)
			}
			if among(s.words[1].text, "-C -c --git-dir --work-tree") {
				s.words = slices.Delete(s.words, 1, 2)
			}
			s.words = slices.Delete(s.words, 1, 2)
		}
	}
	r.steps = append(r.steps, s)
}

// word reads a word as far as the line tells.
func (r *stepReader) word(w *syntax.Word) (got stepWord) {
	if w == nil {
		return got
	}
	var b strings.Builder
	r.parts(&b, &got, w.Parts, false)
	got.text = b.String()
	if from := r.loops["{}"]; from != nil && strings.Contains(got.text, "{}") {
		got.from = from
	}
	if got.text == "~" || strings.HasPrefix(got.text, "~/") {
		got.text = r.home + got.text[1:]
	}
	return got
}

func (r *stepReader) parts(b *strings.Builder, got *stepWord, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			got.glob = got.glob || !quoted && strings.ContainsAny(strings.NewReplacer(`\*`, "", `\?`, "", `\[`, "").Replace(p.Value), "*?[")
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			r.parts(b, got, p.Parts, true)
		case *syntax.ParamExp:
			switch name := p.Param; {
			case name == nil:
			case name.Value == "HOME":
				b.WriteString(r.home)
			case name.Value == "PWD":
				b.WriteString(r.dir)
			case r.loops[name.Value] != nil:
				got.from = r.loops[name.Value]
			}
		case *syntax.CmdSubst:
			inner := &stepReader{dir: r.dir, home: r.home, loops: r.loops}
			inner.list(p.Stmts)
			got.from = listed(inner.steps)
			got.held = slices.ContainsFunc(inner.steps, func(s *simple) bool { return s.input != "" || among(s.program(), printers) && len(s.operands()) > 0 })
			r.steps = append(r.steps, inner.steps...)
		}
	}
}

// under returns a path from a directory.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// named reports whether words name a file, or, if the program goes into directories, one that it is in.
func named(words []stepWord, dir string, f file, recursive bool) bool {
	return slices.ContainsFunc(words, func(w stepWord) bool {
		if w.from != nil {
			return w.from(f)
		}
		if w.text == "" {
			return false
		}
		full := under(dir, w.text)
		if !w.glob {
			return full == f.path || recursive && subpath.In(f.path, full)
		}
		for at := f.path; filepath.Dir(at) != at; at = filepath.Dir(at) {
			base, pattern := filepath.Base(at), filepath.Base(full)
			if ok, _ := filepath.Match(full, at); ok && (!strings.HasPrefix(base, ".") || strings.HasPrefix(pattern, ".")) {
				return true
			}
			if !recursive {
				break
			}
		}
		return false
	})
}
