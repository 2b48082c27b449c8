// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package grammar

import (
	"slices"
	"strings"
)

// A Use is an entry of the table that a command uses.
type Use struct {
	*Option
	Value string // "" without one
	Word  int    // the index of the word
}

// A Reading is what a program makes of its words.
type Reading struct {
	Uses      []Use
	Operands  []int    // indices of the words that are neither options nor their values
	Variables []string // NAME=value, for the program that this one starts
	Module    []string // the program that this one becomes, with its words
	Sub       string   // the first name of the sub-command in the table; "" without one
	Started   int      // the index of the program that this one starts; 0: none
	Within    bool     // that program is one of an environment, or the programs of the lines are
	Unsure    bool     // an unknown option stands before that program, and may take it for its value
}

// Gave reports whether one of the options is used.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r *Reading) Gave(names ...string) bool {
	return slices.ContainsFunc(r.Uses, func(u Use) bool { return slices.Contains(names, u.Name) })
}

// Read reads the words as the program does; words[0] is the program. Where readers differ, it
// takes the reading that uses more of the table: a value that begins with a dash is read as an
// option as well, because another version of the program may take no value there.
func (p *Program) Read(words []string) *Reading {
	r := &reader{words: words, style: p.Style, tables: []*Program{p}}
	r.Within = p.Within && p.Starts == 0
	for i := 1; i < len(words); {
		i = r.word(i)
	}
	return &r.Reading
}

type reader struct {
	Reading
	words  []string
	style  Style
	tables []*Program // the sub-command's first
	after  bool       // the options have ended
	// commanded and settled say that the sub-command, and the first operand behind it, are found.
	commanded, settled bool
	// doubt says that an operand may be the value of an unknown option.
	doubt bool
	// unknown says that the word before is an option and not in the table. This word may be its value.
	unknown bool
}

// word reads the word at i, and returns the index of the next one.
func (r *reader) word(i int) int {
	w := r.plain(r.words[i])
	r.anywhere(i)
	unknown := r.unknown
	r.unknown = false
	switch {
	case r.after || len(w) < 2:
		return r.operand(i, unknown)
	case w == "-version" || w == "-help": // whoever reads letters, gets no word of the caller's choice
		return i + 1
	case w == "--":
		r.after = !r.style.Endless
		return i + 1
	case w[0] == '-':
		return r.option(i, w)
	case (w[0] == '+' || w[0] == '@') && r.use(w[:1], w[1:], i):
		r.unknown = true // bash +O takes a value
		return i + 1
	case r.style.Old && i == 1:
		for j := range len(w) {
			r.use("-"+w[j:j+1], "", i)
		}
		return i + 1
	}
	return r.operand(i, unknown)
}

// plain writes a word with the dashes of Unix.
func (r *reader) plain(w string) string {
	if !r.style.Fold || len(w) < 2 {
		return w
	}
	for _, dash := range []string{"/", "–", "—", "―"} {
		if rest, ok := strings.CutPrefix(w, dash); ok {
			return "-" + rest
		}
	}
	return w
}

// anywhere uses the entries about every word, also for a value glued to an option.
func (r *reader) anywhere(i int) {
	w := r.words[i]
	r.use("*", w, i)
	if len(w) > 2 && w[0] == '-' && w[1] != '-' {
		r.use("*", w[2:], i)
	}
	if _, value, ok := strings.Cut(w, "="); ok {
		r.use("*", value, i)
	}
}

// use uses the entries of a name, and reports whether there is one.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r *reader) use(name, value string, i int) bool {
	found := false
	for _, t := range r.tables {
		for k := range t.Options {
			if o := &t.Options[k]; o.Name == name {
				r.Uses = append(r.Uses, Use{o, value, i})
				found = true
			}
		}
	}
	return found
}

func (r *reader) option(i int, w string) int {
	if options, value, given := r.named(w); len(options) > 0 {
		return r.take(options, value, given, i)
	}
	if w[1] == '-' || r.style.Words {
		r.unknown = !strings.Contains(w, "=")
		return i + 1
	}
	return r.cluster(i, w)
}

// take uses the options of one word, with the value in it or behind it, and returns the index of the
// next word.
func (r *reader) take(options []*Option, value string, given bool, i int) int {
	next := i + 1
	for _, o := range options {
		v := value
		switch {
		case o.Arity == Rest:
			v, next = strings.TrimSpace(value+" "+strings.Join(r.words[i+1:], " ")), len(r.words)
		case given:
		case (o.Arity == Required || o.Arity == Next) && i+1 < len(r.words):
			v = r.words[i+1]
			if !strings.HasPrefix(v, "-") {
				next = max(next, i+2)
				r.bare(i + 1)
				r.use("*", v, i+1)
			}
		}
		if o.Kind == Module {
			r.Module = append([]string{v}, r.words[next:]...)
			next = len(r.words)
		}
		r.Uses = append(r.Uses, Use{o, v, i})
	}
	return next
}

// named returns the entries that a word names by more than a letter: by their whole name, or by its
// beginning.
func (r *reader) named(w string) (options []*Option, value string, given bool) {
	head, value, given := strings.Cut(w, "=")
	var whole, cut []*Option
	for _, t := range r.tables {
		for k := range t.Options {
			o := &t.Options[k]
			if len(o.Name) < 2 || o.Name[0] != '-' {
				continue
			}
			if o.Arity == Glued || o.Arity == Rest && len(o.Name) == 2 {
				if n := len(o.Name); len(w) >= n && r.folded(w[:n]) == o.Name {
					return []*Option{o}, w[n:], true
				}
				continue
			}
			switch r.same(o.Name, head) {
			case wholly:
				whole = append(whole, o)
			case partly:
				cut = append(cut, o)
			}
		}
	}
	if len(whole) > 0 {
		return whole, value, given
	}
	return cut, value, given
}

func (r *reader) folded(w string) string {
	if r.style.Fold {
		return strings.ToLower(w)
	}
	return w
}

type likeness int

const (
	not likeness = iota
	partly
	wholly
)

// same compares the name of an option with what stands before = in a word. A letter that is glued
// to its value is the cluster's to find.
func (r *reader) same(name, head string) likeness {
	head = r.folded(head)
	if r.style.Underscore {
		head = strings.ReplaceAll(head, "_", "-")
	}
	if name == head {
		return wholly
	}
	bare, long := strings.CutPrefix(name, "--")
	given, dashes := strings.CutPrefix(head, "--")
	if r.style.Dashes || r.style.Fold {
		bare, given = strings.TrimLeft(name, "-"), strings.TrimLeft(head, "-")
		long = len(bare) > 1
	}
	switch {
	case !long || given == "":
		return not
	case bare == given && (dashes || r.style.Dashes || r.style.Fold):
		return wholly
	case r.style.Exact || !strings.HasPrefix(bare, given):
		return not
	case dashes, r.style.Fold, r.style.Dashes && len(given) > 1:
		return partly
	}
	return not
}

// cluster reads the letters after one dash.
func (r *reader) cluster(i int, w string) int {
	for at := 1; at < len(w) && w[at] != '='; {
		options, length := r.letter(w[at:])
		if len(options) == 0 {
			r.unknown = at+1 == len(w)
			at++
			continue
		}
		rest := w[at+length:]
		if takes := options[0].Arity; rest != "" && (takes == Required || takes == Optional) {
			if r.style.Exact {
				rest = strings.TrimPrefix(rest, "=")
			}
			return r.take(options, rest, true, i)
		}
		next := r.take(options, "", false, i)
		if rest == "" || next == len(r.words) && options[0].Arity == Rest {
			return next
		}
		at += length
	}
	return i + 1
}

// letter returns the entries for the letter that a cluster begins with, or for two letters where an
// option has two.
func (r *reader) letter(cluster string) (options []*Option, length int) {
	for _, t := range r.tables {
		for k := range t.Options {
			o := &t.Options[k]
			if len(o.Name) < 2 || len(o.Name) > 3 || o.Name[0] != '-' || o.Name[1] == '-' || !strings.HasPrefix(cluster, o.Name[1:]) {
				continue
			}
			switch n := len(o.Name) - 1; {
			case n > length:
				options, length = []*Option{o}, n
			case n == length && options[0].Arity == o.Arity:
				options = append(options, o)
			}
		}
	}
	return options, length
}

// operand reads a word that is no option. After an unknown option it may be the value of that: it
// counts as an operand then, and so does the next one, as the first again.
func (r *reader) operand(i int, unknown bool) int {
	w := r.words[i]
	name, _, assigns := strings.Cut(w, "=")
	if assigns && r.style.Variables && name != "" && len(r.Operands) == 0 {
		r.Variables = append(r.Variables, w)
		return i + 1
	}
	r.bare(i)
	r.use("", w, i)
	isSub := !r.commanded && r.sub(i, unknown)
	if !isSub && !r.settled {
		r.use("1", w, i)
		r.settled = !unknown
	}
	r.Operands = append(r.Operands, i)
	r.doubt = r.doubt || unknown
	switch {
	case r.style.Starts > 0 && len(r.Operands) == r.style.Starts:
		r.Started, r.Within = i, r.style.Within
		r.Unsure = unknown || r.doubt
		return len(r.words)
	case r.style.Stops && r.settled:
		return r.rest(i + 1)
	}
	return i + 1
}

// bare uses the entries of names without a dash. It takes values of options for such names as well: an
// option that has a value here may have none in another version, or behind another sub-command.
func (r *reader) bare(i int) {
	name, value, assigns := strings.Cut(r.words[i], "=")
	if assigns {
		name = strings.TrimRight(name, ":+?! ") // make and others assign by := and +=, too
	}
	if !strings.HasPrefix(name, "-") && !slices.Contains([]string{"", "1", ".", "*", "+", "@"}, name) {
		r.use(name, value, i)
	}
}

// rest takes all words from i on as operands of something else.
func (r *reader) rest(i int) int {
	for ; i < len(r.words); i++ {
		r.anywhere(i)
		r.Operands = append(r.Operands, i)
	}
	return i
}

// sub reads what may be the name of a sub-command, and reports whether the table has it.
func (r *reader) sub(i int, unknown bool) bool {
	w, p := r.words[i], r.tables[0]
	names := func(s *Program) bool { return slices.Contains(s.Names, w) }
	found := slices.IndexFunc(p.Subs, names)
	if found < 0 && r.style.Short && w != "" && !p.has(w) {
		begins := func(name string) bool { return strings.HasPrefix(name, w) }
		for k := range p.Options {
			if o := &p.Options[k]; begins(o.Name) {
				r.Uses = append(r.Uses, Use{o, "", i})
			}
		}
		found = slices.IndexFunc(p.Subs, func(s *Program) bool { return slices.ContainsFunc(s.Names, begins) })
	}
	r.commanded = found >= 0 || !unknown
	if !r.commanded {
		return false
	}
	sub := new(Program)
	if found >= 0 {
		sub = p.Subs[found]
		r.Sub = sub.Names[0]
		r.style.Stops = sub.Stops
		if sub.Starts > 0 {
			r.style.Starts, r.style.Within = len(r.Operands)+1+sub.Starts, sub.Within // this operand counts, too
		}
	}
	if r.style.Alone {
		p = &Program{Options: p.everywhere}
	}
	r.tables = []*Program{sub, p}
	r.use(".", w, i)
	return found >= 0
}

// has reports whether the table has an operand.
func (p *Program) has(name string) bool {
	return slices.ContainsFunc(p.Options, func(o Option) bool { return o.Name == name })
}
