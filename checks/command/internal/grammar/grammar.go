// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package grammar knows how programs read their words: it tells options, in all their spellings, from
// other words. One table, programs.txt, holds this, and what an option makes a program do.
package grammar

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/packed"
)

// A Kind is what an option, a sub-command or an operand makes a program do.
type Kind string

// The kinds, as the table writes them.
const (
	Value   Kind = "value"   // nothing of note; the option takes a value
	Flag    Kind = "flag"    // nothing of note
	Runs    Kind = "runs"    // starts another program, runs code or loads settings
	Fetches Kind = "fetches" // installs or runs code from an address of the caller's choice
	Own     Kind = "own"     // runs what the project's own files or packages tell
	Starts  Kind = "starts"  // starts the program that follows, which the reader of the words finds
	Code    Kind = "code"    // runs the code that it is given
	Line    Kind = "line"    // runs the command line that it is given
	Module  Kind = "module"  // becomes the given program, with all words behind
	Wipes   Kind = "wipes"   // deletes, overwrites or publishes
	Reaches Kind = "reaches" // sends to, or fetches from, an address of the caller's choice
	Touches Kind = "touches" // reads or writes files that it should not
	Shows   Kind = "shows"   // prints a password, a key or a token
	Warns   Kind = "warns"   // does harm that is the program's usual purpose
	Excuses Kind = "excuses" // makes the program do nothing that wipes
)

// An Arity is how an option gets its value.
type Arity string

// The arities, as the table writes them behind a name.
const (
	None     Arity = ""
	Required Arity = "="   // glued to the option, or the next word
	Optional Arity = "[=]" // glued only
	Next     Arity = ">"   // the next word only; letters behind it are more options
	Rest     Arity = ">>"  // all that follows
	Glued    Arity = "*"   // the name is the beginning of a word, and the rest its value
)

// An Option is one entry of the table. Its name has its dashes. A name without a dash is a
// sub-command, or any operand that reads so. Six names stand for more:
//
//	""   every operand
//	"1"  the first operand
//	"."  the sub-command whose table this is
//	"*"  every word, and what follows = in it
//	"+"  a word that begins with +; its value is the rest
//	"@"  a word that begins with @; its value is the rest
type Option struct {
	Name  string
	Arity Arity
	Kind  Kind
	Class string // the class of values that the entry is about; "" is any
}

// Spec returns the option as the table has it.
func (o *Option) Spec() string {
	if o.Class != "" {
		return o.Name + string(o.Arity) + "<" + o.Class + ">"
	}
	return o.Name + string(o.Arity)
}

// A Style is how a program reads words. The zero Style is that of GNU: letters after one dash
// cluster, long names follow two dashes and may be cut, and -- ends the options.
type Style struct {
	Exact      bool // long names may not be cut
	Words      bool // one dash begins a name, not a cluster of letters
	Dashes     bool // one dash before a long name is as good as two
	Fold       bool // capitals do not matter, and a slash or a typographic dash is a dash
	Underscore bool // an underscore is a dash
	Old        bool // the first word is a cluster even without a dash
	Stops      bool // the first operand ends the options
	Endless    bool // -- ends nothing
	Alone      bool // options before the sub-command mean nothing after it
	Short      bool // names of sub-commands may be cut
	Variables  bool // NAME=value is no operand
	Starts     int  // 1 plus the number of operands before another program; 0: starts none
	Within     bool // that program, or those of its lines, are of an environment, as of "poetry run": the policy need not list them
}

// A Program is how a program, or one of its sub-commands, reads its words. It is not changed
// once it is read from the table, and is safe for concurrent use.
type Program struct {
	Names []string
	Style
	Options []Option
	Subs    []*Program

	everywhere []Option // those that hold behind any sub-command, even if the options do not
}

//go:generate env TOOLVET_UPDATE=1 go test -run TestTable .

//go:embed programs.txt.gz
var packedTable string

var table = packed.Text(packedTable)

// Programs returns the programs of the table by name.
var Programs = lazy.Value(embedded)

func embedded() map[string]*Program {
	programs, err := parse(table())
	if err != nil {
		panic(err) // a test reads the same text
	}
	return programs
}

// List returns the names of a list of the table, which are of no program.
func List(name string) []string { return Programs()["list "+name].Names }

// Lookup returns the grammar of a program, whose name may end in a version, or nil.
func Lookup(name string) *Program {
	if p, ok := Programs()[name]; ok {
		return p
	}
	return Programs()[strings.TrimRight(name, "0123456789.-")]
}

// parse reads the table. Its lines are
//
//	program NAME …: STYLE …
//	sub NAME …: STYLE …
//	KIND OPTION …
//	list NAME WORD …
func parse(text string) (map[string]*Program, error) {
	programs := make(map[string]*Program)
	var program, current *Program
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		keyword, rest := fields[0], fields[1:]
		var err error
		switch {
		case keyword == "list":
			name := "list " + rest[0]
			if programs[name] == nil {
				programs[name] = new(Program)
			}
			programs[name].Names = append(programs[name].Names, rest[1:]...)
		case keyword == "program":
			current, err = newProgram(rest)
			program = current
			for _, name := range current.Names {
				if programs[name] != nil {
					err = fmt.Errorf("%s stands here twice", name)
				}
				programs[name] = program
			}
		case program == nil:
			err = fmt.Errorf("the first line must begin with program")
		case keyword == "sub":
			current, err = newProgram(rest)
			program.Subs = append(program.Subs, current)
		default:
			err = current.add(Kind(keyword), rest)
		}
		if err != nil {
			return nil, fmt.Errorf("programs.txt:%d: %w", i+1, err)
		}
	}
	return programs, nil
}

func newProgram(fields []string) (*Program, error) {
	names, styles, _ := strings.Cut(strings.Join(fields, " "), ":")
	p := &Program{Names: strings.Fields(names)}
	for _, style := range strings.Fields(styles) {
		switch style {
		case "exact":
			p.Exact = true
		case "words":
			p.Words = true
		case "dashes":
			p.Dashes = true
		case "fold":
			p.Fold = true
		case "underscore":
			p.Underscore = true
		case "old":
			p.Old = true
		case "stops":
			p.Stops = true
		case "endless":
			p.Endless = true
		case "alone":
			p.Alone = true
		case "short":
			p.Short = true
		case "variables":
			p.Variables = true
		case "starts":
			p.Starts = 1
		case "starts2":
			p.Starts = 2
		case "lines":
			p.Within = true
		case "within":
			p.Starts, p.Within = 1, true
		case "within2":
			p.Starts, p.Within = 2, true
		default:
			return p, fmt.Errorf("%q is no style", style)
		}
	}
	return p, nil
}

// arities in the order in which a name is searched for its end.
var arities = []Arity{Optional, Rest, Next, Required, Glued}

func (p *Program) add(kind Kind, specs []string) error {
	switch kind {
	case Value, Flag, Runs, Own, Starts, Fetches, Code, Line, Module, Wipes, Reaches, Touches, Shows, Warns, Excuses:
	default:
		return fmt.Errorf("%q is no kind", kind)
	}
	for _, spec := range specs {
		o := Option{Name: spec, Kind: kind}
		if before, class, ok := strings.Cut(spec, "<"); ok {
			o.Name, o.Class = before, strings.TrimSuffix(class, ">")
		}
		for _, a := range arities {
			if name, ok := strings.CutSuffix(o.Name, string(a)); ok && name != "" {
				o.Name, o.Arity = name, a
				break
			}
		}
		if (kind == Value || kind == Module) && o.Arity == None {
			o.Arity = Required
		}
		p.Options = append(p.Options, o)
		if !strings.HasPrefix(o.Name, "-") {
			p.everywhere = append(p.everywhere, o)
		}
	}
	return nil
}
