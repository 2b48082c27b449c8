// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// A line may spell a name backwards, or in base64, and have a filter put it right: cat $(echo swodahs/cte/ | rev). These filters are computed here, where the
// line tells what they read, so that the name is judged. Of other filters of a told text, the user is asked.

// untold stands in the text of a file for what code of the line prints.
const untold = "\ue001"

// veilers make another text of the one that they read.
var veilers = wordset.New("rev tr base64 base32 basenc xxd openssl uudecode perl python python3 ruby node php awk gawk mawk sed cut gunzip zcat gzip bzip2 bunzip2 xz xzcat iconv m4 rot13 caesar hex2bin jq tac fold paste")

// printedOf returns the output of a command, if the line has all of its input. in is the standard input; nil if the line does not have it.
func printedOf(words []string, in *string) (text string, told bool) {
	if len(words) == 0 {
		return "", false
	}
	program, rest := programName(words[0]), words[1:]
	switch program {
	case "echo":
		end := "\n"
		for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' && strings.Trim(rest[0][1:], "neE") == "" {
			if contains(rest[0], "n") {
				end = ""
			}
			rest = rest[1:]
		}
		return decoded(strings.Join(rest, " ")) + end, true
	case "printf":
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] == "-v" {
			return "", false
		}
		return filled(rest[0], rest[1:]), true
	}
	if in == nil {
		return "", false
	}
	options, packed := strings.Join(rest, " "), strings.Join(strings.Fields(*in), "")
	switch {
	case program == "cat" && (len(rest) == 0 || options == "-"):
		return *in, true
	case program == "rev" && len(rest) == 0, program == "tac" && len(rest) == 0:
		lines := splitAt(trimSuffix(*in, "\n"), "\n")
		if program == "tac" {
			slices.Reverse(lines)
		} else {
			for i, l := range lines {
				letters := []rune(l)
				slices.Reverse(letters)
				lines[i] = string(letters)
			}
		}
		return strings.Join(lines, "\n") + "\n", true
	case program == "base64" && among(options, "-d -D --decode -di -i"):
		raw, err := base64.StdEncoding.DecodeString(packed)
		return string(raw), err == nil && options != "-i"
	case program == "base64" && among("x"+options, "x x-w0 x--wrap=0") || program == "base64" && options == "-w 0":
		return base64.StdEncoding.EncodeToString([]byte(*in)) + "\n", true
	case program == "base32" && among(options, "-d -D --decode"):
		raw, err := base32.StdEncoding.DecodeString(packed)
		return string(raw), err == nil
	case program == "xxd" && holds([]string{"-r -p", "-p -r", "-rp", "-pr", "-r -ps", "-ps -r", "-r -plain"}, options):
		raw, err := hex.DecodeString(packed)
		return string(raw), err == nil
	case program == "tr":
		return translated(*in, rest)
	case program == "sed":
		m := plainSubstitution.FindStringSubmatch(options)
		if m == nil || len(rest) != 1 {
			return "", false
		}
		n := 1
		if m[3] == "g" {
			n = -1
		}
		var lines []string
		for _, l := range splitAt(*in, "\n") {
			lines = with(lines, strings.Replace(l, m[1], m[2], n))
		}
		return strings.Join(lines, "\n"), true
	}
	return "", false
}

// plainSubstitution is a command of sed without patterns.
var plainSubstitution = lazyregexp.New(`^s[/,|#]([\w -]+)[/,|#]([\w ~-]*)[/,|#](g?)$`)

// filled returns the output of printf for a format and the words behind it. The format is taken apart once: with many words, printf goes through it many times.
func filled(format string, words []string) string {
	var places [][2]int // of the directives
	masked := strings.ReplaceAll(format, "%%", "\x00\x00")
	for at := 0; ; {
		place := directive.FindStringIndex(masked[at:])
		if place == nil {
			break
		}
		places = append(places, [2]int{at + place[0], at + place[1]})
		at += place[1]
	}
	var b builder
	for first := true; first || len(words) > 0; first = false {
		at, before := 0, len(words)
		for _, place := range places {
			b.put(format[at:place[0]])
			if len(words) > 0 {
				b.put(words[0])
				words = words[1:]
			}
			at = place[1]
		}
		b.put(format[at:])
		if len(words) == before || b.Len() > maxPrinted {
			break
		}
	}
	return decoded(strings.ReplaceAll(b.String(), "%%", "%"))
}

// maxPrinted bounds what printf makes of many words.
const maxPrinted = 1 << 16

// translated returns what tr makes of a text.
func translated(text string, words []string) (string, bool) {
	switch {
	case len(words) == 2 && among(words[0], "-d --delete"):
		set, ok := letters(words[1])
		return strings.Map(func(r rune) rune {
			if slices.Contains(set, r) {
				return -1
			}
			return r
		}, text), ok
	case len(words) == 2 && !hasPrefix(words[0], "-"):
		from, ok := letters(words[0])
		to, told := letters(words[1])
		if !ok || !told || len(to) == 0 {
			return "", false
		}
		return strings.Map(func(r rune) rune {
			if i := slices.Index(from, r); i >= 0 {
				return to[min(i, len(to)-1)]
			}
			return r
		}, text), true
	}
	return "", false
}

// letters returns the characters of a set of tr.
func letters(set string) (list []rune, told bool) {
	set = strings.NewReplacer("[:upper:]", "A-Z", "[:lower:]", "a-z", "[:digit:]", "0-9", "[:alpha:]", "A-Za-z", "[:alnum:]", "A-Za-z0-9", "[:space:]", " \t\n", "[:blank:]", " \t", `\n`, "\n", `\t`, "\t").Replace(set)
	if strings.ContainsAny(set, `\[`) && len(set) > 1 {
		return nil, false
	}
	all := []rune(set)
	for i := 0; i < len(all); i++ {
		if i+2 < len(all) && all[i+1] == '-' && all[i+2] >= all[i] && all[i+2]-all[i] < 128 {
			for r := all[i]; r <= all[i+2]; r++ {
				list = append(list, r)
			}
			i += 2
			continue
		}
		list = append(list, all[i])
	}
	return list, true
}

// fed returns the standard input of a command, as far as the line tells; nil if not.
//
//go:noinline
func (s *simple) fed() *string {
	if s.input != nil && *s.input != "" {
		return s.input
	}
	return s.before
}

// told returns what the commands from an index on print together, if the line tells all of it.
func (r *reader) told(from int) (text string, told bool) {
	var b builder
	for _, s := range r.commands[from:] {
		if s.hands || s.pipes {
			continue // what it prints goes into a word, or to the next one
		}
		one, ok := printedOf(s.words, s.fed())
		if !ok || contains(one, insertion) || !r.spend(len(one)) {
			return "", false
		}
		b.put(one)
		told = true
	}
	return b.String(), told
}

// found returns names in place of the output of a find, if it begins outside the work at hand; "" if not.
func (r *reader) found(from int) string {
	for _, s := range r.commands[from:] {
		if len(s.words) == 0 || s.hands || !finders.Has(s.program()) || findRuns(s.words) {
			continue
		}
		if names := s.below([]string{"{}"}, r.directory); len(names) > 1 || names[0] != "{}" {
			return strings.Join(names, "\n") + "\n"
		}
	}
	return ""
}

// veiled reports whether what commands from an index on print is made of a told text, or by code, in a way that is not computed here.
func (r *reader) veiled(from int) bool {
	return anyCommand(r.commands[from:], func(s simple) bool { return !s.hands && veils(s.words, s.fed()) })
}

func veils(words []string, in *string) bool {
	if len(words) == 0 {
		return false
	}
	program := programName(words[0])
	if _, told := printedOf(words, in); told {
		return false
	}
	if in != nil && veilers.Has(program) && named.MatchString(*in) && !contains(*in, insertion) {
		return true
	}
	switch {
	case among(program, "awk gawk mawk"):
		return anyWord(words[1:], func(w string) bool { return hasPrefix(strings.TrimSpace(w), "BEGIN") })
	case among(program, "perl ruby python python3 node"):
		return anyWord(words[1:], codeOption.MatchString)
	}
	return false
}

var (
	named      = lazyregexp.New(`[a-zA-Z0-9]{2}`)
	codeOption = lazyregexp.New(`^(-[a-zA-Z]*[ceE]|-p|--eval(=.*)?|--print(=.*)?)$`)
)

// filtered returns the text of a substitution, if the line itself has the text and sends it through filters. veils says that one of them is not computed.
func (r *reader) filtered(p *syntax.CmdSubst) (text string, told, veil bool) {
	if len(p.Stmts) != 1 {
		return "", false, false
	}
	var in *string
	var walk func(s *syntax.Stmt) bool
	walk = func(s *syntax.Stmt) bool {
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe && len(s.Redirs) == 0 {
			return walk(b.X) && walk(b.Y)
		}
		c, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(c.Assigns) > 0 || len(c.Args) == 0 || in == nil && !among(c.Args[0].Lit(), "echo printf") && len(s.Redirs) == 0 {
			return false
		}
		for _, redirect := range s.Redirs {
			switch {
			case redirect.Hdoc != nil:
				given := r.text(redirect.Hdoc)
				in = &given
			case redirect.Op == syntax.WordHdoc:
				given := r.text(redirect.Word)
				in = &given
			default:
				return false
			}
		}
		var words []string
		for _, w := range c.Args {
			words = with(words, r.text(w))
		}
		printed, ok := printedOf(words, in)
		veil = veil || !ok && in != nil && veils(words, in)
		if !ok || contains(printed, insertion) || !r.spend(len(printed)) {
			return false
		}
		in = &printed
		return true
	}
	if !walk(p.Stmts[0]) || in == nil {
		return "", false, veil
	}
	return strings.TrimRight(*in, "\n"), true, false
}
