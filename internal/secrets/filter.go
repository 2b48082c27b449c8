// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A filter tells of most texts that an expression does not match in them, at a small part of what the
// expression itself takes. It follows all ways through the expression at once. The set of the
// places that are reached is a state, and the filter keeps each state with those that follow it (Thompson's
// construction, lazily determined). Text that needs too many new states is left to the
// expression. Not safe for concurrent use.
type filter struct {
	prog   *syntax.Prog
	begins []rune               // of the classes: no instruction tells the runes of a class apart
	ascii  [utf8.RuneSelf]uint8 // classes
	begin  syntax.EmptyOp       // the assertions of a begin in the expression
	width  int                  // classes, and the end of the text as the last
	states map[string]int
	sets   []reached
	next   []uint32 // state*width + class → state*width, with marks; 0 if it is not known yet
	credit int      // states that may still be made for this text
	lost   bool     // it took too many states, once

	seen  []uint32 // by instruction: the round in which it was reached
	round uint32
	stack []uint32
}

// A reached state holds the instructions behind the last rune, in order, and a rune like the last one.
type reached struct {
	pcs   []uint32
	last  rune
	quiet bool // no match is under way, and the text from here on matches like one that begins here
}

// Marks of a step.
const (
	known = 1 << (31 - iota)
	ends  // a match ends before the class
	quiet // the state is quiet
	marks = known | ends | quiet
)

const (
	maxStates  = 4 << 10 // of a filter
	firstSteps = 512     // states that a filter may make for any text
	perState   = 16      // bytes of text that pay for another one
	maxClasses = 200     // of a filter; expressions with more do without
)

// newFilter returns the filter of an expression. If that has too many classes of runes, the filter lets everything through.
func newFilter(expr string) *filter {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return &filter{}
	}
	prog, err := syntax.Compile(loose(parsed).Simplify())
	if err != nil {
		return &filter{}
	}
	f := &filter{prog: prog, begins: classesOf(prog), states: map[string]int{}, seen: make([]uint32, len(prog.Inst))}
	if f.width = len(f.begins) + 1; f.width > maxClasses {
		return &filter{}
	}
	for c := range f.ascii {
		f.ascii[c] = uint8(f.class(rune(c)))
	}
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth {
			f.begin |= syntax.EmptyOp(in.Arg) & (syntax.EmptyBeginLine | syntax.EmptyBeginText)
		}
	}
	f.state(reached{last: -1})
	f.renew()
	return f
}

// loose lets what an expression may begin with stand there any number of times. That changes nothing about
// whether it matches, and takes fewer states.
func loose(n *syntax.Regexp) *syntax.Regexp {
	if n.Op != syntax.OpConcat {
		return n
	}
	made := &syntax.Regexp{Op: syntax.OpConcat, Flags: n.Flags, Sub: slices.Clone(n.Sub)}
	for i, sub := range made.Sub {
		if sub.Op != syntax.OpStar && sub.Op != syntax.OpQuest && (sub.Op != syntax.OpRepeat || sub.Min > 0) {
			break
		}
		made.Sub[i] = &syntax.Regexp{Op: syntax.OpStar, Flags: sub.Flags, Sub: sub.Sub}
	}
	return made
}

// classesOf returns the runes at which the answer of an instruction, or of an assertion, may change.
func classesOf(prog *syntax.Prog) []rune {
	begins := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1}
	for _, in := range prog.Inst {
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				r := in.Rune[0]
				begins = append(begins, r, r+1)
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					begins = append(begins, f, f+1)
				}
				continue
			}
			for i := 0; i < len(in.Rune); i += 2 {
				begins = append(begins, in.Rune[i], in.Rune[i+1]+1)
			}
		}
	}
	slices.Sort(begins)
	return slices.Compact(begins)
}

func (f *filter) class(r rune) int {
	i, found := slices.BinarySearch(f.begins, r)
	if !found {
		i--
	}
	return i
}

// parts yields the parts of text in which the expression may match, with the offset from which on
// another part's matches begin. Every match lies in one part, and the expression finds it there as in text. No
// match is where nothing is yielded. Text that takes too many states is one part from there on.
func (f *filter) parts(text string, yield func(start, end, limit int) (more bool)) {
	begin, found := 0, f.prog == nil
	f.credit += len(text) / perState
	for s, i := uint32(0), 0; i <= len(text) && f.prog != nil; {
		class, size := f.width-1, 1
		if i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				class = int(f.ascii[c])
			} else {
				var r rune
				r, size = utf8.DecodeRuneInString(text[i:])
				class = f.class(r)
			}
		}
		to := f.next[int(s)+class]
		if to&marks == known { // mostly
			s, i = to&^marks, i+size
			continue
		}
		if to == 0 {
			if to = f.follow(s, class); to == 0 {
				found, f.lost = true, true
				break
			}
		}
		found = found || to&ends != 0
		s = to &^ marks
		if i += size; to&quiet != 0 && i < len(text) {
			if found && !yield(begin, min(i+margin, len(text)), i) {
				return
			}
			begin, found = i, false
		}
	}
	if found {
		yield(begin, len(text), len(text)+1)
	}
}

// matches reports whether the expression matches in text. If it is not sure, the expression has to tell.
func (f *filter) matches(text string) (found, sure bool) {
	f.lost = f.prog == nil
	f.parts(text, func(int, int, int) bool {
		found = true
		return false
	})
	return found, !f.lost
}

// follow finds the state behind a class, as in next, and keeps it. It returns 0 if that would make too many states.
func (f *filter) follow(s uint32, class int) uint32 {
	r := rune(-1)
	if class < len(f.begins) {
		r = f.begins[class]
	}
	at := f.sets[int(s)/f.width]
	f.round++
	step := uint32(known)
	flags := syntax.EmptyOpContext(at.last, r)
	to := reached{last: like(r)}
	f.stack = append(append(f.stack[:0], at.pcs...), uint32(f.prog.Start)) // a match can begin anywhere
	for len(f.stack) > 0 {
		pc := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		if f.seen[pc] == f.round {
			continue
		}
		f.seen[pc] = f.round
		in := &f.prog.Inst[pc]
		switch in.Op {
		case syntax.InstMatch:
			step |= ends
		case syntax.InstAlt, syntax.InstAltMatch:
			f.stack = append(f.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			f.stack = append(f.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^flags == 0 {
				f.stack = append(f.stack, in.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r >= 0 && in.MatchRune(r) {
				to.pcs = append(to.pcs, in.Out)
			}
		}
	}
	slices.Sort(to.pcs)
	to.pcs = slices.Compact(to.pcs)
	n := f.state(to)
	if n < 0 {
		return 0
	}
	if f.sets[n].quiet {
		step |= quiet
	}
	step |= uint32(n * f.width)
	f.next[int(s)+class] = step
	return step
}

// like returns a rune that assertions do not tell from r.
func like(r rune) rune {
	switch {
	case r == '\n' || r < 0:
		return r
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

// state returns the number of a state, or -1 if there are too many.
func (f *filter) state(r reached) int {
	key := binary.LittleEndian.AppendUint32(nil, uint32(r.last))
	for _, pc := range r.pcs {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if n, ok := f.states[string(key)]; ok {
		return n
	}
	if len(f.sets) > 0 {
		if f.credit--; f.credit < 0 || len(f.sets) == maxStates {
			return -1
		}
	}
	r.quiet = len(r.pcs) == 0 && f.begin&^syntax.EmptyOpContext(r.last, 'a') == 0 && r.last != 'a'
	n := len(f.sets)
	f.states[string(key)] = n
	f.sets = append(f.sets, r)
	f.next = append(f.next, make([]uint32, f.width)...)
	return n
}

// renew readies a filter for another text. A full one forgets what it knows.
func (f *filter) renew() {
	f.credit = firstSteps
	if len(f.sets) == maxStates {
		clear(f.states)
		f.sets, f.next = f.sets[:0], f.next[:0]
		f.state(reached{last: -1})
	}
}
