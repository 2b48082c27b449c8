// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/workdir"
)

// A simple is one program with its words, as the program would get them.
type simple struct {
	variables []string // NAME=value before the program
	words     []string
	pipes     bool    // another command reads what it prints
	hands     bool    // it names files to another command, which may read them: by xargs, a loop or a substitution
	input     *string // its standard input, as far as the line tells: "" is what another command prints
	directory string  // where the shell is when it runs
	array     bool    // the words are the elements of an array, not of a line
	offset    int     // of the first word in the command, where another program starts this one
	later     bool    // startedLater has found it, and looks no further: it would try all words of all words
	by        string  // the program that starts it
	carries   bool    // its words hold what the line reads from files
	brings    bool    // its words hold what the line fetches or decodes
	filled    bool    // no variable in its words may be empty
	search    string  // what it prints goes through a grep for this pattern
	container bool    // it runs in a container, where files are others
	ownPatch  bool    // its input is a patch of the project's own
	changed   []int   // the words that the program changes, beside those of writers
	foreign   bool    // what comes through a pipe is fetched or decoded
	before    *string // what the command before a pipe prints, as far as the line tells
	within    bool    // the policy need not list the program, as with "poetry run", unless it is refused by default
}

// maxFaults bounds what is told of one command: the first faults say enough.
const maxFaults = 8

// A judge collects the faults of one command.
type judge struct {
	*compiled
	endOfOptions bool
	shell        string
	begins       string            // where the shell begins: at the base of the world, or in the directory that the call chooses; "" if that is not known
	directory    string            // where the shell is, as far as the words of cd tell
	before       string            // where it was before that
	variables    map[string]string // those that the line itself sets to a text, by name
	made         map[string]string // the files that the line itself writes, with their text; insertion if the line does not tell it
	links        map[string]string // the links that the line itself makes, with the places that they lead to
	edits        int               // how often it has written one
	whole        map[string]int    // when all code of a directory was judged, by program and directory: one more than the edits then
	contained    bool              // a line runs in a container, where files are others
	spared       bool              // the policy lets the command delete, overwrite or publish
	brought      bool              // the command, or one that it runs in, has words that hold what the line fetches or decodes
	sweeps       bool              // the command before names all files of the work, for the one behind it
	sought       bool              // the line has looked for a program that guards the agent
	unpacked     bool              // the line has unpacked what it fetched
	remotes      map[string]bool   // of git, which the line itself sets
	readFrom     []string          // the files that redirections name
	writtenTo    []string
	spent        int // bytes of variables and of lines for shells, which may hold one another
	world        check.World
	faults       []check.Finding
}

// judge is judgeIn of a server of which nothing is known.
func (o *Options) judge(value any) []check.Finding { return o.judgeIn(check.World{}, value) }

// judgeIn is judgeAt in the directory of the server.
func (o *Options) judgeIn(world check.World, value any) []check.Finding {
	return o.judgeAt(world, world.Base, value)
}

// judgeAt returns what is wrong with a command of a server, a string or an array of strings, that begins in a directory.
func (o *Options) judgeAt(world check.World, dir string, value any) []check.Finding {
	if world.Base = dir; !workdir.Placed(dir) {
		world.Base = ""
	}
	j := &judge{compiled: o.compile(), shell: o.Shell, endOfOptions: o.EndOfOptions, world: world, begins: dir, directory: dir}
	switch value := value.(type) {
	case string:
		if o.Shell == patchShell {
			j.patchOnly(value)
			break
		}
		j.line(value)
	case []any:
		j.array(value)
	default:
		j.fail(-1, "must be a command line, or an array of the program and its words", "")
	}
	if j.err != nil {
		j.fail(-1, "cannot be judged: the policy has a malformed regular expression", "")
	}
	return j.faults
}

// fail is not inlined: its copies weigh more than they save.
//
//go:noinline
func (j *judge) fail(element int, message, mend string) {
	j.add(element, check.Finding{Message: message, Suggestion: mend})
}

// maxGrowth bounds what a line's variables and nested lines may make of it, as a multiple of the allowed length.
const maxGrowth = 4

// spend counts the bytes that variables and nested lines add to the line. It reports whether there is room: a few variables that double one
// another would fill any memory.
func (j *judge) spend(bytes int) bool {
	if j.spent > maxGrowth*j.length {
		return false
	}
	if j.spent += bytes; j.spent > maxGrowth*j.length {
		j.fail(-1, "grows too long by its variables and nested lines to be judged", "write out the command")
		return false
	}
	return true
}

// add adds a finding about an element of an array, or about the whole command (-1), once.
func (j *judge) add(element int, f check.Finding) {
	if element >= 0 {
		f.Pointer = "/" + strconv.Itoa(element)
	}
	j.once(f)
}

// once adds a finding unless it is there already.
func (j *judge) once(f check.Finding) {
	same := func(g check.Finding) bool {
		return g.Pointer == f.Pointer && g.Message == f.Message && g.Severity == f.Severity
	}
	if len(j.faults) < maxFaults && !slices.ContainsFunc(j.faults, same) {
		j.faults = append(j.faults, f)
	}
}

// refuse reports something that is allowed only by name of its kind, which may have the prefix [away].
func (j *judge) refuse(element int, kind, what string) {
	kind, sends := cutPrefix(kind, away)
	if j.contained && kind == piped {
		kind = elsewhere // a person may consent to what runs in a container
	}
	if j.allow[kind] || j.spared && among(kind, "wipe deleting") || kind == guard && j.allow[startup] || holds(deniable, kind) && !holds(j.deny, kind) {
		return
	}
	j.add(element, check.Finding{Message: what, Suggestion: mendOf(kind), Source: kind, Sends: sends})
}

// refuseWord refuses the i-th word of a command. It is not inlined, and takes a pointer: copies weigh more than they save.
//
//go:noinline
func (j *judge) refuseWord(s *simple, i int, kind, what string) {
	j.refuse(s.element(i), kind, s.place(i)+what)
}

const (
	byName   = "call the program that you want by its own name, as its own command"
	lessHarm = "leave it to a person, or name less"
	ownFile  = "name a file of the work at hand"
)

var mends = []struct{ kind, mend string }{
	{substitution, "run one command, and put its output into the next call; in single quotes the characters mean themselves"},
	{redirection, "let the tool return the output; in quotes the characters mean themselves"},
	{pipe, "run one command a call; in quotes the characters mean themselves"},
	{and, "run one command a call; in quotes the characters mean themselves"},
	{list, "run one command a call; in quotes the characters mean themselves"},
	{background, "run one command, in the foreground; in quotes the characters mean themselves"},
	{glob, "name the files, or put the pattern in quotes if the program is to read it"},
	{expansion, "write out the value, or put the word in single quotes if the characters mean themselves"},
	{escape, "put the word in single quotes instead of writing a backslash"},
	{comment, "leave the comment out, or put the word in quotes"},
	{newline, "write one command on one line; in quotes a line break is fine"},
	{compound, "give one plain command: a program and its words"},
	{assignment, "leave the variable out"},
	{inShell, byName},
	{inCode, "put the code into a file of the work at hand, and run that"},
	{sum, "put the code into a file of the work at hand, and run that"},
	{edit, "put the code into a file of the work at hand, and run that"},
	{project, byName},
	{temporary, ownFile},
	{starter, byName},
	{setting, byName},
	{environment, byName},
	{fetched, "name what the registry or the project knows"},
	{later, "run it now"},
	{elsewhere, byName},
	{piped, "save it to a file of the work at hand, read it, and run that"},
	{system, lessHarm},
	{wipe, lessHarm},
	{secret, ownFile},
	{startup, ownFile},
	{guard, "leave this to the user"},
	{outside, "write below the directories of the work at hand, or to a temporary file"},
	{unread, "write out the command"},
	{privilege, "run it as the user that you are"},
	{credential, "leave keys, and variables with secrets, to the programs that need them"},
	{network, "use an address that is set up already"},
	{sending, lessHarm},
	{steering, ownFile},
	{roaming, ownFile},
	{deleting, lessHarm},
	{doubtful, "say it in a plainer way"},
}

// mendOf returns how to do without a kind of thing.
//
//go:noinline
func mendOf(kind string) string {
	for _, m := range mends {
		if m.kind == kind {
			return m.mend
		}
	}
	return "leave it out"
}

// line judges a command line.
func (j *judge) line(text string) {
	if !j.measure(len(text)) || !j.characters(-1, text, true) {
		return
	}
	for _, s := range j.read(text) {
		j.directory, j.brought = s.directory, s.brings
		j.simple(s, 0)
	}
}

// array judges the words of a command.
func (j *judge) array(elements []any) {
	if len(elements) > maxWords {
		j.fail(-1, fmt.Sprintf("has more than %d words", maxWords), "")
		return
	}
	s := simple{words: make([]string, 0, len(elements)), array: true}
	size := 0
	for i, e := range elements {
		word, ok := e.(string)
		if !ok {
			j.fail(i, "must be a string: each element is one word of the command", "")
			continue
		}
		size += len(word)
		s.words = with(s.words, word)
	}
	if len(s.words) < len(elements) || !j.measure(size) {
		return
	}
	for i, word := range s.words {
		j.characters(i, word, false)
		j.operator(i, i, s.words)
	}
	if len(s.words) == 0 {
		j.fail(-1, "is empty: the first word must be the program", "")
		return
	}
	j.simple(s, 0)
}

func (j *judge) measure(size int) bool {
	if size > j.length {
		j.fail(-1, fmt.Sprintf("is longer than the allowed %d bytes", j.length), "give a shorter command, or put the data in a file")
		return false
	}
	return true
}

// characters refuses characters that no command needs, and that disguise a command. It reports
// whether the text may be read further.
func (j *judge) characters(element int, text string, isLine bool) bool {
	if !utf8.ValidString(text) {
		j.fail(element, "is not UTF-8", "")
		return false
	}
	for _, r := range text {
		switch {
		case r == 0:
			j.fail(element, "holds a NUL character, where a program stops reading", "leave it out")
			return false
		case r == '\t', r == '\n', r == '\r' && !isLine:
		case r < ' ', r >= 0x7f && r < 0xa0:
			j.fail(element, "holds a control character", "leave it out")
			return false
		case r < 0x200e:
		case disguises(r):
			j.fail(element, "holds an invisible character that changes how text is shown", "leave it out")
			return false
		}
	}
	return true
}

// disguises reports whether a character reorders or hides what stands beside it.
func disguises(r rune) bool {
	return r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
}

var operators = []string{";", ";;", "|", "||", "|&", "&", "&&", ">", ">>", "<", "<<", "<<<", "2>", "2>&1", "&>", "1>", ">&2"}

// operator refuses an element that is an operator to a shell and a plain word to a program:
// whoever wrote it meant a shell. After an option it is that option's value.
func (j *judge) operator(element, i int, words []string) {
	w := words[i]
	if i > 0 && hasPrefix(words[i-1], "-") || len(w) == 0 || w == ";" && findRuns(words) {
		return
	}
	whole := len(w) > 2 && (w[0] == '`' && w[len(w)-1] == '`' || hasPrefix(w, "$(") && w[len(w)-1] == ')')
	if !whole && !holds(operators, w) {
		return
	}
	j.refuse(element, compound, "has a word that is an operator of a shell, where no shell reads it")
}

// findRuns reports whether the words are those of a find with a command, which ends in a
// semicolon. It is refused for what it runs.
func findRuns(words []string) bool {
	return programName(words[0]) == "find" && anyWord(words, func(w string) bool {
		return hasPrefix(w, "-exec") || hasPrefix(w, "-ok")
	})
}

// demands judges what the policy demands of the first words: those that follow are
// another program's.
func (j *judge) demands(s simple, own int) {
	fixed := 1 // the program, and the words that programs lists with it
	for _, rest := range j.programs[s.words[0]] {
		if len(rest) > fixed-1 && startsWith(s.words[1:], rest) {
			fixed = 1 + len(rest)
		}
	}
	flags, limited := j.flags[s.program()]
	if !limited {
		flags, limited = j.flags["*"]
	}
	ended := false
	for i, w := range s.words[:own] {
		switch {
		case i < fixed:
		case !ended && w == "--":
			ended = true
		case !ended && len(w) > 1 && w[0] == '-':
			if limited && !matches(flags, w) {
				j.fail(s.element(i), s.place(i)+"is a flag against the policy", "allowed are flags that match "+patterns(flags))
			}
		default:
			if j.endOfOptions && !ended {
				j.fail(s.element(i), s.place(i)+"must stand after --, which ends the flags", `put "--" before the words that are not flags, and join a flag and its value, such as --count=5`)
			}
			if len(j.arguments) > 0 && !matches(j.arguments, w) {
				j.fail(s.element(i), s.place(i)+"is not what the policy allows", "allowed are words that match "+patterns(j.arguments))
			}
		}
	}
}
