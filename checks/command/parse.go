// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/wordset"
)

// A parser is not for concurrent use, and costs much to make.
var bashParsers = sync.Pool{New: func() any {
	return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
}}

// maxDepth bounds how deep brackets nest, because the parser calls itself.
const maxDepth = 64

// parse reads a line as bash does: what is active in another POSIX shell is active in it.
func (j *judge) parse(text string) []simple {
	if tooDeep(text) {
		j.fail(-1, "nests brackets too deep to be judged", "give one plain command: a program and its words")
		return nil
	}
	parser := bashParsers.Get().(*syntax.Parser)
	defer bashParsers.Put(parser)
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		j.fail(-1, "is not a command that a shell can read: a quote or bracket may be open, or a character need quotes",
			"give one plain command: a program and its words, with quotes around words that hold blanks or special characters")
		return nil
	}
	r := reader{judge: j}
	r.statements(file.Stmts)
	if len(file.Last) > 0 {
		j.refuse(-1, comment, "holds a comment outside quotes")
	}
	if brokenOutside(text, file) || contains(text, "\\\n") {
		j.refuse(-1, newline, "holds a line break outside quotes")
	}
	return r.commands
}

// brokenOutside reports whether a line break stands before, between or after the words.
func brokenOutside(text string, file *syntax.File) bool {
	if strings.IndexByte(text, '\n') < 0 {
		return false
	}
	inside := 0 // line breaks within words
	syntax.Walk(file, func(n syntax.Node) bool {
		w, ok := n.(*syntax.Word)
		if ok {
			inside += strings.Count(text[w.Pos().Offset():w.End().Offset()], "\n")
		}
		return !ok
	})
	return inside < strings.Count(text, "\n")
}

func tooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
		if depth > maxDepth {
			return true
		}
	}
	return strings.Count(text, "`") > maxDepth
}

// A reader walks over what the parser made of a line.
type reader struct {
	*judge
	commands []simple
	stdin    *string             // what commands read, after "exec <"
	maybe    int                 // conditions under which a command runs
	others   map[string][]string // texts that a variable may have as well, by a command that may have run
	shadowed bool                // names of programs may stand for others: by a function, an alias or PATH
	own      string              // the variable that is being set
	carriers map[string][2]bool  // variables that hold what the line reads from files, and what it fetches
	foreign  bool                // what comes through the pipe is fetched or decoded
	piped    *string             // what comes through the pipe, as far as the line tells
	forks    int                 // the most texts that a part of the statement may have
	reading  int                 // which of them counts
	nested   int                 // the substitutions around what is being read
}

func (r *reader) statements(stmts []*syntax.Stmt) {
	if len(stmts) > 1 {
		r.refuse(-1, list, "runs more than one command")
	}
	for _, s := range stmts {
		r.statement(s)
	}
}

// statement reads a statement, and reads it again for each further text that a variable in it may have.
func (r *reader) statement(s *syntax.Stmt) {
	if s == nil {
		return
	}
	before := r.forks
	r.forks = 0
	r.once(s)
	if first := r.reading; first == 0 && r.forks > 1 {
		directory, earlier := r.directory, r.before
		for r.maybe++; r.reading+1 < r.forks && r.spend(int(s.End().Offset()-s.Pos().Offset())); {
			r.reading++
			r.once(s)
			r.directory, r.before = directory, earlier
		}
		r.maybe--
		r.reading = 0
	}
	r.forks = before
}

// once reads a statement as often as it stands there.
func (r *reader) once(s *syntax.Stmt) {
	if len(s.Comments) > 0 {
		r.refuse(-1, comment, "holds a comment outside quotes")
	}
	if s.Background || s.Coprocess || s.Disown {
		r.refuse(-1, background, "runs a command in the background, by & outside quotes")
	} else if s.Semicolon.IsValid() {
		r.refuse(-1, list, "ends or joins commands, by ; outside quotes")
	}
	if s.Negated {
		r.refuse(-1, compound, "uses the syntax of a shell beyond a plain command")
	}
	if s.Background {
		defer r.scope()()
	}
	before := len(r.commands)
	for _, redirect := range s.Redirs {
		r.refuse(-1, redirection, "redirects input or output, by < or > outside quotes")
		r.target(redirect)
	}
	redirected := len(r.commands) // by way of substitutions
	if s.Cmd == nil && len(s.Redirs) > 0 {
		r.refuse(-1, compound, "redirects input or output and runs no program")
	}
	r.command(s.Cmd)
	for _, redirect := range s.Redirs { // input first: "cat" writes what it reads
		switch {
		case redirect.Hdoc != nil:
			r.feed(redirected, r.text(redirect.Hdoc))
		case redirect.Op == syntax.WordHdoc:
			r.feed(redirected, r.text(redirect.Word))
		case redirect.Op == syntax.RdrIn || redirect.Op == syntax.RdrInOut:
			if text, written := r.made[r.at(r.text(redirect.Word))]; written && text != insertion {
				r.feed(redirected, text)
			} else if written || redirected > before {
				r.feed(redirected, "")
			}
		}
	}
	for _, s := range r.commands[redirected:] {
		if s.input != nil && *s.input != "" && len(s.words) > 0 && among(s.program(), "tee sponge dd") {
			r.copies(s, *s.input)
		}
	}
	if own := r.commands[redirected:]; len(own) == 1 && len(own[0].words) == 1 && own[0].words[0] == "exec" && own[0].input != nil {
		r.stdin = own[0].input // of all commands behind
	}
	for _, redirect := range s.Redirs {
		switch file := r.text(redirect.Word); redirect.Op {
		case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
			r.writes(file, r.printed(redirected))
		case syntax.AppOut, syntax.AppAll:
			r.writes(file, r.made[r.at(file)]+r.printed(redirected))
		}
	}
}

// bringers print what they fetch or decode.
var bringers = wordset.New("curl wget wget2 aria2c http https xh lynx w3m nc ncat netcat socat base64 base32 xxd openssl gunzip zcat gzip bunzip2 bzcat xz xzcat uudecode")

// brings reports whether a command prints what is fetched or decoded.
func (r *reader) brings(s simple) bool {
	if len(s.words) == 0 || bringers.Has(s.program()) {
		return len(s.words) > 0
	}
	return anyWord(s.words[1:], func(w string) bool { return contains(r.made[r.at(w)], insertion) })
}

// printed returns what the commands from an index on print: insertion if it is fetched or decoded, "" if another program of this machine makes it.
func (r *reader) printed(from int) string {
	if text, told := r.told(from); told {
		return text
	}
	if r.foreign || anyCommand(r.commands[from:], r.brings) {
		return insertion
	}
	if r.veiled(from) {
		return untold
	}
	var list []string
	for _, s := range r.commands[from:] {
		switch {
		case len(s.words) == 0 || s.pipes:
			return ""
		case s.words[0] == "echo":
			list = with(list, printedEscapes.Replace(strings.Join(s.words[1:], " "))+"\n")
		case s.words[0] == "printf":
			list = with(list, decoded(strings.Join(s.words[1:], " ")))
		case s.words[0] == "cat" && len(s.words) == 1 && s.input != nil && *s.input != "":
			list = with(list, *s.input)
		default:
			return ""
		}
	}
	return strings.Join(list, "")
}

// veil stands for the output of a filter, where it is not computed.
var veil = untold

var printedEscapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t")

// feed notes what the commands from an index on read on standard input; "" is what another command prints.
//
//go:noinline
func (r *reader) feed(from int, text string) {
	for i := from; i < len(r.commands); i++ {
		if r.commands[i].input == nil {
			r.commands[i].input = &text
		}
	}
}

// target judges the file that a redirection names.
func (r *reader) target(redirect *syntax.Redirect) {
	if redirect.Hdoc != nil {
		r.word(redirect.Hdoc)
	}
	text := r.through(r.word(redirect.Word), true)
	if redirect.Hdoc == nil && redirect.Op != syntax.WordHdoc {
		list := &r.writtenTo
		if redirect.Op == syntax.RdrIn {
			list = &r.readFrom
			r.roam(r.directory, text)
		}
		*list = with(*list, toDirectory(r.directory, text))
	}
	if op := redirect.Op; op != syntax.RdrIn && op != syntax.WordHdoc && op != syntax.DplIn && op != syntax.DplOut && redirect.Hdoc == nil {
		r.leaves(-1, r.directory, text)
	}
	if out := redirect.Op != syntax.RdrIn && redirect.Op != syntax.WordHdoc; out && startsLater(r.directory, text) {
		r.refuse(-1, startup, "redirects to a file from which a shell, git or the system starts programs later")
	}
	if redirect.Op != syntax.RdrIn && redirect.Hdoc == nil {
		r.startsByVariable(redirect.Word)
	}
	switch {
	case r.contained && ofSystem(text) && text != "/dev/null":
		r.refuse(-1, wipe, "redirects to or from a file in a container, which the program would change")
	case r.namesSecret(filekind.Named(text), r.directory) && (redirect.Op == syntax.RdrIn || redirect.Op == syntax.RdrInOut || !ownSettings(text)):
		r.refuse(-1, secret, "redirects to or from a file that holds secrets or accounts")
	case hasPrefix(text, "/dev/tcp/") || hasPrefix(text, "/dev/udp/"):
		r.refuse(-1, network, "redirects to or from an address of the network")
	case ofSystem(text) && text != "/dev/null":
		r.refuse(-1, system, "redirects to or from a file or device of the system")
	}
}

func (r *reader) command(c syntax.Command) {
	switch c := c.(type) {
	case nil:
		return
	case *syntax.CallExpr:
		r.call(c.Assigns, c.Args)
	case *syntax.DeclClause:
		r.declaration(c)
	case *syntax.LetClause:
		r.inner(c)
		r.assigned(c)
		r.commands = append(r.commands, simple{words: []string{"let"}, directory: r.directory})
	case *syntax.ArithmCmd:
		r.refuse(-1, compound, "uses the syntax of a shell beyond a plain command, by brackets or keywords outside quotes")
		r.inner(c)
		r.assigned(c)
	case *syntax.CoprocClause:
		r.refuse(-1, compound, "uses the syntax of a shell beyond a plain command, by brackets or keywords outside quotes")
		first := len(r.commands)
		r.statement(c.Stmt)
		r.feed(first, "")
	case *syntax.TimeClause:
		r.statement(c.Stmt)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.Pipe:
			r.refuse(-1, pipe, "pipes one command into another, by | outside quotes")
		case syntax.PipeAll: // to sh, a pipe and a command in the background
			r.refuse(-1, list, "pipes one command into another, by |& outside quotes")
		case syntax.AndStmt:
			if !r.allow[list] {
				r.refuse(-1, and, "joins commands, by && or || outside quotes")
			}
		default:
			r.refuse(-1, list, "joins commands, by && or || outside quotes")
		}
		first, piped := len(r.commands), c.Op == syntax.Pipe || c.Op == syntax.PipeAll
		r.branch(c.X, piped, false)
		second := len(r.commands)
		foreign, before := r.foreign, r.piped
		if r.piped = nil; piped {
			if text, told := r.told(first); told && text != "" {
				r.piped = &text
			} else if text := r.found(first); text != "" {
				r.piped = &text
			} else if r.veiled(first) {
				r.piped = &veil
			}
		}
		r.foreign = foreign || (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && anyCommand(r.commands[first:second], r.brings)
		r.branch(c.Y, piped, !piped)
		r.foreign, r.piped = foreign, before
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			r.hand(first, second)
			fed := "" // what another command prints
			if _, plain := c.X.Cmd.(*syntax.CallExpr); plain && c.Op == syntax.Pipe && len(c.X.Redirs) == 0 && r.hooks(first, second) {
				fed = ":"
			}
			r.feed(second, fed)
			_, while := c.Y.Cmd.(*syntax.WhileClause)
			hands := while || anyCommand(r.commands[second:], func(s simple) bool { return len(s.words) > 0 && feeds.Has(s.program()) })
			pattern := ""
			if second < len(r.commands) && len(c.X.Redirs) == 0 {
				pattern = r.commands[second].searched()
			}
			for i := first; i < second; i++ {
				if !r.commands[i].pipes {
					r.commands[i].search = pattern
				}
				r.commands[i].pipes = true
				r.commands[i].hands = r.commands[i].hands || hands
			}
		}
	default:
		r.refuse(-1, compound, "uses the syntax of a shell beyond a plain command, by brackets or keywords outside quotes")
		if f, ok := c.(*syntax.FuncDecl); ok && f.Name != nil && isGuard(f.Name.Value) {
			r.refuse(-1, guard, "names a program that guards the agent")
		}
		switch c := c.(type) {
		case *syntax.ForClause:
			r.loop(c)
			return
		case *syntax.TestClause:
			syntax.Walk(c.X, func(n syntax.Node) bool {
				if w, ok := n.(*syntax.Word); ok && subscript.MatchString(r.text(w)) {
					r.refuse(-1, unread, "has a subscript that a shell would run")
				}
				return true
			})
		case *syntax.WhileClause:
			if len(c.Cond) == 1 && (among(onlyWord(c.Cond[0]), "true :") || c.Until && onlyWord(c.Cond[0]) == "false") {
				r.endless(c, "")
			}
		case *syntax.Block: // runs as it stands
			r.inner(c)
			return
		case *syntax.Subshell:
			defer r.scope()()
			r.inner(c)
			return
		case *syntax.FuncDecl:
			if c.Name != nil {
				r.endless(c.Body, c.Name.Value)
			}
			defer r.scope()()
			r.shadowed = true
		}
		r.maybe++
		r.inner(c)
		r.maybe--
	}
}

// scope notes what a subshell cannot change, and returns a function that brings it back.
func (r *reader) scope() (restore func()) {
	variables, directory, before := maps.Clone(r.variables), r.directory, r.before
	return func() { r.variables, r.directory, r.before = variables, directory, before }
}

// branch reads one side of an operator, which may run in a subshell, and may not run.
func (r *reader) branch(s *syntax.Stmt, subshell, maybe bool) {
	if subshell {
		defer r.scope()()
	}
	if maybe {
		r.maybe++
		defer func() { r.maybe-- }()
	}
	r.statement(s)
}

// loop reads the commands of a loop once for each of its words, as a shell runs them.
func (r *reader) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || len(words.Items) == 0 {
		r.inner(c)
		return
	}
	r.variable(words.Name.Value+"=", true)
	var texts []string
	for _, w := range words.Items {
		texts = append(texts, r.words(w)...)
	}
	for _, text := range texts {
		if !r.spend(int(c.DonePos.Offset() - c.DoPos.Offset())) {
			return
		}
		r.set(words.Name.Value, text)
		for _, s := range c.Do {
			r.statement(s)
		}
	}
}

// inner judges the commands within a node that is allowed by name.
func (r *reader) inner(node syntax.Node) {
	if node == nil {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			r.statement(s)
			return false
		}
		if w, ok := n.(*syntax.Word); ok {
			r.word(w)
			return false
		}
		return true
	})
}

func (r *reader) call(assigns []*syntax.Assign, args []*syntax.Word) {
	own := r.own
	r.own = ""
	var s simple
	for _, a := range assigns {
		s.variables = with(s.variables, r.assign(a))
	}
	for i, w := range args {
		reads, fetches := r.carries(w)
		s.carries, s.filled = s.carries || reads, (s.filled || i == 0) && neverEmpty(w)
		s.brings = s.brings || fetches && (i == 0 || !contains(s.words[0], insertion)) // a program from a variable is not what is fetched
		if i > 0 && among(s.program(), "env cross-env cross-env-shell") {
			r.own = assignedBy(w)
		}
		if i > 0 && among(programName(s.words[0]), "tee sponge cp mv") {
			r.startsByVariable(w)
		}
		list := r.words(w)
		r.own = ""
		if _, variable := w.Parts[0].(*syntax.ParamExp); i == 0 && len(list) > 1 && !variable {
			r.fail(-1, "makes its program by braces, such as {ls,-l}", mendOf(compound))
		}
		s.words = append(s.words, list...)
	}
	r.own = own
	for i := 1; i < len(s.words) && len(r.links) > 0; i++ {
		s.words[i] = r.through(s.words[i], !among(s.program(), "rm unlink mv ln readlink ls stat test ["))
	}
	if len(args) == 0 {
		r.remember(assigns, s.variables)
		if r.allow[assignment] {
			for _, v := range s.variables {
				r.variable(v, false)
			}
			return
		}
	}
	s.input, s.directory, s.before, s.foreign = r.stdin, r.directory, r.piped, r.foreign
	if r.piped != nil && *r.piped != untold && len(s.words) > 1 && s.words[0] == "read" {
		for _, line := range splitAt(trimSuffix(*r.piped, "\n"), "\n") {
			r.set(s.words[len(s.words)-1], line)
		}
	}
	r.shadowed = r.shadowed || r.shadows(s.words)
	r.commands = append(r.commands, s)
	r.formatted(s.words)
	r.saves(s)
	r.unpacks(s)
	r.follow(s)
}

// remember learns the texts of variables that the line sets for the commands behind.
func (r *reader) remember(assigns []*syntax.Assign, texts []string) {
	for i, a := range assigns {
		if a.Name == nil || a.Index != nil || a.Array != nil || a.Naked {
			continue
		}
		_, text, _ := cut(texts[i], "=")
		if a.Value != nil && len(r.carriers) < maxExpanded {
			if reads, fetches := r.carries(a.Value); reads || fetches {
				if r.carriers == nil {
					r.carriers = map[string][2]bool{}
				}
				r.carriers[a.Name.Value] = [2]bool{reads, fetches}
			}
		}
		if a.Append {
			before, known := r.variables[a.Name.Value]
			if !known || !r.spend(len(before)) {
				before = insertion
			}
			text = before + text
		}
		r.set(a.Name.Value, text)
	}
}

// maxOthers bounds the texts that a variable may have.
const maxOthers = 8

// set learns the text of a variable.
func (r *reader) set(name, text string) {
	if contains(text, "[$(") || contains(text, "[`") {
		r.refuse(-1, unread, "sets a variable to a text that arithmetic would run")
	}
	if r.variables == nil {
		r.variables = map[string]string{}
	}
	if old, known := r.variables[name]; known && r.maybe > 0 && old != text && len(r.others[name]) < maxOthers {
		if r.others == nil {
			r.others = map[string][]string{}
		}
		r.others[name] = with(r.others[name], old)
	}
	r.shadowed = r.shadowed || name == "PATH"
	r.variables[name] = strings.ReplaceAll(text, inherited, insertion)
}

// wordCost is what a word costs beyond its bytes, where a shell makes many of one.
const wordCost = 64

// maxExpanded bounds the words that a shell makes of one with braces.
const maxExpanded = 1024

// words returns the words that a shell makes of one: several if it has braces, such as /etc/{passwd,shadow}.
func (r *reader) words(w *syntax.Word) (list []string) {
	plain := r.word(w) // says what is not allowed
	if !r.allow[expansion] {
		return []string{plain}
	}
	_, bare := w.Parts[0].(*syntax.ParamExp)
	if _, printed := w.Parts[0].(*syntax.CmdSubst); (bare || printed) && len(w.Parts) == 1 && strings.ContainsAny(plain, " \t\n") {
		list = strings.Fields(plain)
		r.spend(wordCost * len(list))
		return list
	}
	if !syntax.SplitBraces(w) {
		return []string{plain}
	}
	for one, err := range expand.BracesSeq(nil, w) {
		if err != nil || len(list) == maxExpanded {
			r.fail(-1, fmt.Sprintf("makes more than %d words of one by its braces", maxExpanded), "write out the words")
			return list
		}
		list = with(list, r.word(one))
	}
	return list
}
