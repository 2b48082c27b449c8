// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/toolvet/toolvet/internal/jsonschema"
)

const (
	// maxPatternBytes bounds one pattern. The longest of real tools has 288.
	maxPatternBytes = 8 << 10
	// maxPatternSize bounds the instructions of all patterns of one schema
	// together, at about 40 bytes each, however short (x{1000}){2} is.
	maxPatternSize = 200_000
	// runesPerInstruction makes a large class such as \p{L} count as what it
	// occupies.
	runesPerInstruction = 8
	// maxDirectWork bounds instructions × bytes of a match that runs without
	// looking at the clock: some 40 ms at worst.
	maxDirectWork = 4 << 20
)

// A pattern is a compiled ECMA-262 regular expression. Go's engine takes linear time and runs all
// patterns, except those with features that it lacks, such as lookahead and back references.
type pattern struct {
	text   string
	linear *regexp.Regexp
	size   int // instructions of linear, roughly
	slow   *regexp2.Regexp
}

// An engine compiles the patterns of one schema.
type engine struct {
	timeout time.Duration // of one match by the backtracking engine
	known   map[string]*pattern
	size    int
}

func newEngine(limits Limits) *engine {
	return &engine{timeout: limits.Time / 2, known: map[string]*pattern{}}
}

// Compile is the library's RegexpEngine.
func (g *engine) Compile(text string) (jsonschema.Regexp, error) {
	p, err := g.compile(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (g *engine) compile(text string) (*pattern, error) {
	if p, ok := g.known[text]; ok {
		return p, nil
	}
	p, err := compilePattern(text, g.timeout)
	if err != nil {
		return nil, err
	}
	if g.size += p.size; g.size > maxPatternSize {
		return nil, errors.New("the patterns repeat too much")
	}
	g.known[text] = p
	return p, nil
}

// compilePattern tries both engines. Its error reads after "pattern: ".
func compilePattern(text string, timeout time.Duration) (*pattern, error) {
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPatternBytes)
	}
	translated, ok := toGo(text)
	if !ok {
		return compileSlow(text, timeout)
	}
	tree, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return compileSlow(text, timeout)
	}
	size := programSize(tree)
	if size > maxPatternSize {
		return nil, errors.New("it repeats too much")
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return compileSlow(text, timeout)
	}
	return &pattern{text: text, linear: re, size: size}, nil
}

func compileSlow(text string, timeout time.Duration) (*pattern, error) {
	if c, ok := foreignEscape(text); ok {
		return nil, fmt.Errorf("it is not an ECMA-262 regular expression: \\%c is not an escape", c)
	}
	// JSON Schema asks for the "u" flag; the legacy syntax is what many authors
	// write all the same.
	re, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		legacy, legacyErr := regexp2.Compile(text, regexp2.ECMAScript)
		if legacyErr != nil {
			return nil, fmt.Errorf("it is not an ECMA-262 regular expression: %s", printable(err.Error(), 200))
		}
		re = legacy
	}
	re.MatchTimeout = timeout
	return &pattern{text: text, slow: re, size: len(text)}, nil
}

// foreignEscape returns a letter behind a backslash without a meaning in ECMA-262. The
// backtracking engine would give it one of .NET's.
func foreignEscape(text string) (byte, bool) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		c := text[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if letter && !strings.ContainsRune("bBcdDfknpPrsStuvwWxX", rune(c)) {
			return c, true
		}
	}
	return 0, false
}

// programSize estimates the number of instructions that Go compiles re to,
// without expanding its repetitions.
func programSize(re *syntax.Regexp) int {
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = max(size, len(re.Rune))
	case syntax.OpCharClass:
		size += len(re.Rune) / runesPerInstruction
	}
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), maxPatternSize+1)
	}
	if re.Op == syntax.OpRepeat {
		size = min(size*max(re.Min, re.Max, 1), maxPatternSize+1)
	}
	return size
}

func (p *pattern) String() string { return p.text }

// MatchString is for the library, which takes no errors: a match that cannot
// be decided in time counts as none. Evaluate uses [evaluator.matches].
func (p *pattern) MatchString(s string) bool {
	if p.linear != nil {
		return p.linear.MatchString(s)
	}
	ok, err := p.slow.MatchString(s)
	return ok && err == nil
}

// matches reports whether p matches somewhere in s. It aborts the evaluation
// when that cannot be decided in time.
func (e *evaluator) matches(p *pattern, s string) bool {
	if p.linear == nil {
		e.spend(stepsPerLook) // look at the clock before and after
		ok, err := p.slow.MatchString(s)
		if err != nil {
			e.outOfTime("the pattern %s takes too long to match", printable(p.text, maxPrintedPattern))
		}
		return ok
	}
	if len(s) > maxDirectWork/p.size {
		return p.linear.MatchReader(&clockedReader{e: e, rest: s, cost: p.size})
	}
	e.spend(p.size * len(s) / bytesPerStep)
	return p.linear.MatchString(s)
}

// A clockedReader gives Go's engine one rune at a time, and aborts the
// evaluation when the time is up.
type clockedReader struct {
	e    *evaluator
	rest string
	cost int
}

func (r *clockedReader) ReadRune() (rune, int, error) {
	if r.rest == "" {
		return 0, 0, io.EOF
	}
	r.e.spend(1 + r.cost/bytesPerStep)
	c, n := utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[n:]
	return c, n, nil
}
