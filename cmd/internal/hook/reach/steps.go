// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolvet/toolvet/internal/subpath"
)

// A file is one below a directory in which a line runs.
type file struct {
	path   string
	secret bool   // it holds secrets, so git does not have it
	of     string // the file whose copy it is to be; "" if it is there
}

// names reports whether a word, or a command that prints names, gives the name of a file. Nil gives none.
type names func(file) bool

// kept asks once about each file. Names may be made of names, and these of others twice each, so that asking anew would take for ever.
// Files are asked about one after another, so the last answer is enough.
func kept(n names) names {
	if n == nil {
		return nil
	}
	var last file
	var said bool
	return func(f file) bool {
		if f != last {
			last, said = f, n(f)
		}
		return said
	}
}

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
	in     []*simple                  // the commands before it in its pipe
	writes []stepWord                 // the files that redirections empty or write
	adds   []stepWord                 // and those that they lengthen
	text   string                     // its words, and the documents given to it
	saved  bool                       // its output goes to a file
	input  string                     // the file that it reads
	lists  map[string]names           // the files with names that the line has written so far
	over   bool                       // it stands for commands that are not read
	others map[string]map[string]bool // what git said of files that it has not got, by directory
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
	vars      map[string]stepWord
	functions map[string]*syntax.Stmt
	lists     map[string]names
	others    map[string]map[string]bool
	in        []*simple
	steps     []*simple
	depth     int      // of lines within lines, and of functions
	running   []string // the functions whose calls are read
	room      *room
}

// A room is the rest of the bounds on a line. Over says that the line has more: nobody knows what the rest reaches.
type room struct {
	steps, values int
	over          bool
}

// Bounds on the commands within a line.
const (
	maxSteps  = 2000
	maxWithin = 8
	maxValues = 1 << 20 // bytes of variables in words: a line may double one again and again
)

// stepsOf returns the steps of a line, nil if it cannot be read.
func stepsOf(line, dir string) []*simple { return stepsWith(line, dir, map[string]stepWord{}) }

// stepsWith does so with variables.
func stepsWith(line, dir string, vars map[string]stepWord) []*simple {
	r := &stepReader{dir: dir, vars: vars, functions: map[string]*syntax.Stmt{}, lists: map[string]names{}, others: map[string]map[string]bool{}, room: &room{steps: maxSteps, values: maxValues}}
	r.home, _ = os.UserHomeDir()
	r.line(line)
	if r.room.over {
		r.steps = append(r.steps, &simple{dir: dir, over: true})
	}
	return r.steps
}

// line reads a line, or one that a shell within it is given.
func (r *stepReader) line(line string) {
	if r.depth >= maxWithin {
		r.room.over = true
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return
	}
	r.depth++
	r.list(f.Stmts)
	r.depth--
}

// within reads a part of a line, and keeps the directory and the variables as they are for the rest. Words are its own $1, $2 and so on, unless they are nil.
func (r *stepReader) within(words []stepWord, read func()) {
	dir, vars := r.dir, r.vars
	r.vars = maps.Clone(vars)
	if words != nil {
		r.positions(words)
	}
	read()
	r.dir, r.vars = dir, vars
}

func (r *stepReader) positions(words []stepWord) {
	for i, w := range words[:min(9, len(words))] {
		r.vars[string(rune('1'+i))] = w
	}
	r.vars["@"] = r.listing(words)
	r.vars["*"] = r.vars["@"]
}

// listing is the word for each of several.
func (r *stepReader) listing(words []stepWord) stepWord {
	if len(words) == 1 {
		return words[0]
	}
	dir := r.dir
	return stepWord{from: kept(func(f file) bool { return named(words, dir, f, true) })}
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
		r.within(nil, func() { r.list(c.Stmts) })
	case *syntax.DeclClause:
		r.assign(c.Args)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.list(c.Cond)
			r.list(c.Then)
		}
	case *syntax.WhileClause:
		r.list(c.Cond)
		if n := len(r.steps); n > begins && r.steps[n-1].program() == "read" {
			printed := listed(r.in)
			for _, to := range s.Redirs {
				if to.Op == syntax.RdrIn {
					printed = r.listIn(r.word(to.Word).text)
				}
			}
			for _, w := range r.steps[n-1].operands() {
				r.vars[w.text] = stepWord{from: printed}
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
			r.vars[loop.Name.Value] = stepWord{from: kept(func(f file) bool { return named(all, dir, f, false) })}
		}
		r.list(c.Do)
	case *syntax.CaseClause:
		for _, i := range c.Items {
			r.list(i.Stmts)
		}
	case *syntax.FuncDecl:
		r.functions[c.Name.Value] = c.Body
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
		r.steps = append(r.steps, &simple{dir: r.dir, lists: r.lists})
	}
	last := r.steps[len(r.steps)-1]
	for _, to := range s.Redirs {
		w := r.word(to.Word)
		if given := w.text; to.Hdoc != nil || to.Op == syntax.WordHdoc {
			if to.Hdoc != nil {
				given = r.word(to.Hdoc).text
				last.text += "\n" + given
			}
			if among(last.program(), shells) && len(last.operands()) == 0 {
				r.within(nil, func() { r.line(given) })
			}
		}
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
		if printed := listed(append(slices.Clone(last.in), last)); printed != nil {
			r.lists[under(r.dir, w.text)] = printed
		}
		for _, one := range r.steps[begins:] {
			one.saved = true
		}
	}
}

// assign sets variables.
func (r *stepReader) assign(list []*syntax.Assign) {
	for _, a := range list {
		switch {
		case a.Name == nil || a.Naked:
		case a.Array != nil:
			var all []stepWord
			for _, e := range a.Array.Elems {
				all = append(all, r.word(e.Value))
			}
			r.vars[a.Name.Value] = r.listing(all)
		default:
			w := r.word(a.Value)
			if len(w.text) > maxLine {
				r.room.over = true
				continue
			}
			r.vars[a.Name.Value] = w
		}
	}
}

// starters start the program in the words behind them, on the same files, and starterValues are their options that take the next word.
const (
	starters      = "sudo command env time nice nohup builtin exec doas timeout gtimeout stdbuf ionice setsid busybox toybox unbuffer chronic"
	starterValues = "-u -n -g -k -s -c -p -o -i -e -a --unset --user --adjustment --signal --kill-after"
	shells        = "sh bash zsh dash ksh ash"
)

// unstarted takes the starters off the words of a command.
func unstarted(words []stepWord) []stepWord {
	for len(words) > 1 && among(filepath.Base(words[0].text), starters) {
		starter, i := filepath.Base(words[0].text), 1
		for i < len(words) && (strings.HasPrefix(words[i].text, "-") || starter == "env" && strings.Contains(words[i].text, "=")) {
			if starter == "command" && among(words[i].text, "-v -V") { // tells where a program is
				return words
			}
			if among(words[i].text, starterValues) && !(starter == "env" && words[i].text == "-i" || starter == "time" || starter == "setsid") {
				i++
			}
			i++
		}
		if strings.HasSuffix(starter, "timeout") {
			i++ // how long
		}
		if i >= len(words) {
			return words
		}
		words = words[i:]
	}
	return words
}

// textOf is a command in one text.
func textOf(words []stepWord) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" ")
		b.WriteString(w.text)
	}
	return b.String()
}

func (r *stepReader) call(c *syntax.CallExpr) {
	if r.room.steps--; r.room.steps < 0 {
		r.room.over = true
		return
	}
	s := &simple{dir: r.dir, in: r.in, lists: r.lists, others: r.others}
	for _, w := range c.Args {
		s.words = append(s.words, r.word(w))
	}
	if len(c.Args) == 0 {
		r.assign(c.Assigns)
	}
	s.words = unstarted(s.words)
	if len(s.words) == 0 {
		return
	}
	s.text = textOf(s.words)
	switch program := s.program(); {
	case program == "cd" || program == "pushd":
		to := r.home
		if rest := s.operands(); len(rest) > 0 {
			to = rest[0].text
		}
		r.dir = under(r.dir, to)
	case program == "set":
		if i := slices.IndexFunc(s.words, func(w stepWord) bool { return w.text == "--" }); i > 0 {
			r.positions(s.words[i+1:])
		}
	case program == "eval":
		r.line(strings.TrimPrefix(s.text, " eval "))
	case among(program, shells):
		r.shell(s)
	case r.functions[program] != nil && len(s.words) > 1:
		if r.depth >= maxWithin {
			r.room.over = r.room.over || !slices.Contains(r.running, program) // deeper calls of a function by itself repeat what has been read
			break
		}
		r.depth++
		r.running = append(r.running, program)
		r.within(s.words[1:], func() { r.stmt(r.functions[program]) })
		r.running = r.running[:len(r.running)-1]
		r.depth--
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

// shell reads the line that an option gives to a shell.
func (r *stepReader) shell(s *simple) {
	if i := lineWord(s); i > 0 {
		r.within(s.words[min(i+2, len(s.words)):], func() { r.line(s.words[i].text) })
	}
}

// lineWord returns the index of the word of a shell that is a line; 0 if there is none.
func lineWord(s *simple) int {
	i := 1 + slices.IndexFunc(s.words, func(w stepWord) bool {
		return len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' && strings.HasSuffix(w.text, "c")
	})
	if i < 2 || i >= len(s.words) || !among(s.program(), shells) {
		return 0
	}
	return i
}

// listIn returns the names in a file of the line, or of the file system.
func (r *stepReader) listIn(path string) names {
	return (&simple{dir: r.dir, lists: r.lists}).listIn(path)
}

// word reads a word as far as the line tells.
func (r *stepReader) word(w *syntax.Word) (got stepWord) {
	if w == nil {
		return got
	}
	var b strings.Builder
	r.parts(&b, &got, w.Parts, false)
	got.text = b.String()
	if from := r.vars["{}"].from; from != nil && strings.Contains(got.text, "{}") {
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
			default:
				v, set := r.vars[name.Value]
				switch {
				case v.from != nil:
					got.from = v.from
				case set && p.Exp == nil && p.Repl == nil && p.Slice == nil:
					if r.room.values -= len(v.text); r.room.values < 0 {
						r.room.over = true
						break
					}
					b.WriteString(v.text)
					got.glob = got.glob || v.glob && !quoted
				case !set && p.Exp != nil && p.Exp.Word != nil:
					r.parts(b, got, p.Exp.Word.Parts, quoted)
				}
			}
		case *syntax.CmdSubst:
			inner := *r
			inner.in, inner.steps = nil, nil
			inner.list(p.Stmts)
			if place, ok := inner.placeSaid(); ok {
				b.WriteString(place)
			} else {
				got.from = listed(inner.steps)
			}
			got.held = slices.ContainsFunc(inner.steps, func(s *simple) bool { return s.input != "" || among(s.program(), printers) && len(s.operands()) > 0 })
			r.steps = append(r.steps, inner.steps...)
		}
	}
}

// placeSaid returns the directory that a command prints, if it prints nothing else.
func (r *stepReader) placeSaid() (string, bool) {
	if len(r.steps) == 0 {
		return "", false
	}
	switch s := r.steps[len(r.steps)-1]; {
	case s.program() == "pwd":
		return s.dir, true
	case s.program() == "git" && s.has("--show-toplevel"):
		for dir := s.dir; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
				return dir, true
			}
		}
	case among(s.program(), "realpath readlink") && len(s.operands()) == 1 && s.operands()[0].from == nil:
		return under(s.dir, s.operands()[0].text), true
	}
	return "", false
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
