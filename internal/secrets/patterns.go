// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/packed"
)

//go:generate sh -c "go mod download -json github.com/betterleaks/betterleaks@v1.7.0 github.com/zricethezav/gitleaks/v8@v8.30.1 | go run github.com/toolvet/toolvet/cmd/internal/gen/patterns -o patterns"
//go:generate env TOOLVET_UPDATE=1 go test -run TestPacked .
//go:generate go test -run TestIndex . -update
//go:generate env TOOLVET_UPDATE=1 go test -run TestPacked .

var (
	//go:embed patterns/vendored.json.gz
	vendoredPacked string

	//go:embed patterns/own.json.gz
	ownPacked string

	// index lists the values in the files above, and the words by which texts are searched for their patterns. To read and to compile all
	// of them takes as long as to start a program. A line is of one of the kinds below; tabs separate its fields.
	//
	//	all      the file, and from which byte to which: look-alikes for all patterns
	//	generic  the same: look-alikes for patterns that know no issuer
	//	pattern  its id, and the same
	//	word     the word, quoted, and its uses: for each the numbers of a pattern and of a place in it, or only that of a pattern if it is a keyword
	//
	//go:embed patterns/index.txt.gz
	indexPacked string
)

var vendored, own, index = packed.Text(vendoredPacked), packed.Text(ownPacked), packed.Text(indexPacked)

// A library is what the index has.
type library struct {
	ids            []string
	patterns       []func() *compiled
	words          []string // in order
	uses           [][]use  // by word
	indexes        func() *indexes
	allow, generic []span
}

// A span is a JSON value in one of the files.
type span struct {
	file     func() string
	from, to int
}

// builtin is the library of the package.
var builtin = lazy.Value(func() *library {
	l := &library{}
	for line := range strings.Lines(index()) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch kind {
		case "all":
			l.allow = append(l.allow, spanOf(rest))
		case "generic":
			l.generic = append(l.generic, spanOf(rest))
		case "pattern":
			id, in, _ := strings.Cut(rest, "\t")
			l.ids = append(l.ids, id)
			l.patterns = append(l.patterns, lazy.Value(spanOf(in).pattern))
		case "word":
			quoted, uses, _ := strings.Cut(rest, "\t")
			word, err := strconv.Unquote(quoted)
			must(err)
			l.words, l.uses = append(l.words, word), append(l.uses, usesOf(uses))
		}
	}
	l.indexes = lazy.Value(func() *indexes {
		uses := map[string][]use{}
		for i, w := range l.words {
			uses[w] = l.uses[i]
		}
		x := newIndexes(uses)
		return &x
	})
	return l
})

// must panics if what the package has embedded cannot be used. TestIndex uses all of it.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("patterns of package secret: %w", err))
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	must(err)
	return n
}

func spanOf(text string) span {
	name, numbers, _ := strings.Cut(text, "\t")
	from, to, _ := strings.Cut(numbers, "\t")
	file := own
	if name == "vendored" {
		file = vendored
	}
	return span{file, number(from), number(to)}
}

func usesOf(text string) []use {
	var list []use
	for u := range strings.SplitSeq(text, "\t") {
		pattern, place, ok := strings.Cut(u, " ")
		if !ok {
			list = append(list, use{int32(number(pattern)), keyword})
			continue
		}
		list = append(list, use{int32(number(pattern)), int32(number(place))})
	}
	return list
}

func (s span) read(value any) { must(json.Unmarshal([]byte(s.file()[s.from:s.to]), value)) }

func (s span) pattern() *compiled {
	var r Pattern
	s.read(&r)
	c, err := compile(r)
	must(err)
	return c
}

// allows are the look-alikes that no pattern takes for a secret, and those that no pattern does that knows no issuer.
var allows = lazy.Value(func() (known struct{ all, generic []*allow }) {
	known.all = readAllows(builtin().allow)
	known.generic = append(readAllows(builtin().generic), known.all...)
	return known
})

func readAllows(spans []span) []*allow {
	var all []Allow
	for _, s := range spans {
		var more []Allow
		s.read(&more)
		all = append(all, more...)
	}
	list, err := newAllows(all)
	must(err)
	return list
}
