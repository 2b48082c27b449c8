// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/scan/injection"
)

// seams finds orders that are split over several texts. A model reads these one after the other: text blocks, or the values
// of a list or of an object. Joined are texts of which one ends in the midst of a sentence, and the next one goes on.
func (o *Options) seams(ctx context.Context, r *result.Result) ([]bearer, error) {
	blocks := r.TextBlocks()
	if len(blocks) < 2 && !phrases(r) {
		return nil, nil
	}
	var found []bearer
	join := func(tokens []result.Token) error {
		var c chain
		for _, t := range tokens {
			text := result.Unquote(r.Raw[t.Start:t.End])
			if !c.goesOn(text) || c.size > pieceBytes {
				more, err := c.scan(ctx)
				if err != nil {
					return err
				}
				found = append(found, more...)
				c = chain{}
			}
			c.add(t, text)
		}
		more, err := c.scan(ctx)
		found = append(found, more...)
		return err
	}
	if err := join(blocks); err != nil {
		return nil, err
	}
	var values, names []result.Token
	next := 0
	seen := map[string]bool{}
	label := false // the token is the value of a name such as "type"
	for _, t := range r.Tokens() {
		if t.Kind == result.Key {
			name := string(r.Raw[t.Start+1 : t.End-1])
			label = slices.Contains(labels, name)
			if !label && !seen[name] {
				names = append(names, t)
				seen[name] = true
			}
			continue
		}
		if next < len(blocks) && blocks[next] == t {
			next++
		} else if t.Kind == result.String && !label {
			values = append(values, t)
		}
	}
	if err := join(values); err != nil {
		return nil, err
	}
	return found, join(names)
}

// phrases tells whether r has a name with spaces, or several values of which one has some. A result of one text has neither.
func phrases(r *result.Result) bool {
	values, spaced := 0, 0
	for _, t := range r.Tokens() {
		has := t.Kind != result.Number && bytes.IndexByte(r.Raw[t.Start:t.End], ' ') >= 0
		switch {
		case has && t.Kind == result.Key:
			return true
		case t.Kind == result.String:
			if values++; has {
				spaced++
			}
		}
	}
	return spaced > 1 || spaced == 1 && values > 2
}

// labels are the names of properties whose values say what others are.
var labels = []string{"type", "role", "mimeType", "kind", "format", "lang", "language", "uri", "id"}

// A chain is a run of texts that go on in each other.
type chain struct {
	parts  []string
	starts []int // of the parts, when they are joined
	tokens []result.Token
	last   string
	size   int
}

// seamBytes is how much of a long text counts at either of its ends.
const seamBytes = 120

// goesOn tells whether text may go on in the midst of the sentence with which the chain ends. The texts of data mostly begin
// and end with a whole word or sentence; of these, only short ones make a chain.
func (c *chain) goesOn(text string) bool {
	last := strings.TrimRight(c.last, " ")
	if last == "" || text == "" {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(last)
	begin, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return (unicode.IsLetter(end) || strings.ContainsRune(",-–…'\"`*", end)) && (unicode.IsLetter(begin) || strings.ContainsRune("…'\"`*-", begin))
}

func (c *chain) add(t result.Token, text string) {
	c.last = text
	if len(text) > seamBytes {
		if len(c.parts) > 0 {
			c.put(t, cutAt(text, seamBytes))
		}
		text = text[len(cutAt(text, len(text)-seamBytes)):]
		if len(c.parts) > 0 {
			text = "\n\n" + text // what stood between is left out
		}
	}
	c.put(t, text)
}

func (c *chain) put(t result.Token, text string) {
	c.parts, c.starts, c.tokens = append(c.parts, text), append(c.starts, c.size), append(c.tokens, t)
	c.size += len(text) + 1
}

// cutAt returns the first bytes of text, at most n, up to the end of a character.
func cutAt(text string, n int) string {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:min(n, len(text))]
}

// scan returns the orders that a seam lies in.
func (c *chain) scan(ctx context.Context) ([]bearer, error) {
	if len(c.parts) < 2 {
		return nil, nil
	}
	found, err := c.joined(ctx, " ")
	if err != nil || len(found) > 0 || !c.inWords() {
		return found, err
	}
	for i := range c.starts {
		c.starts[i] -= i
	}
	return c.joined(ctx, "")
}

// inWords tells whether a seam may lie in the midst of a word.
func (c *chain) inWords() bool {
	for i := range len(c.parts) - 1 {
		end, _ := utf8.DecodeLastRuneInString(c.parts[i])
		begin, _ := utf8.DecodeRuneInString(c.parts[i+1])
		if unicode.IsLetter(end) && unicode.IsLower(begin) {
			return true
		}
	}
	return false
}

func (c *chain) joined(ctx context.Context, between string) (found []bearer, err error) {
	signals, err := injection.ScanContext(ctx, strings.Join(c.parts, between))
	for _, s := range signals {
		if s.Kind != "instruction" && s.Kind != "role-marker" || s.Score < enough {
			continue
		}
		first, last := c.partAt(s.Start), c.partAt(s.End-1)
		if c.tokens[first] != c.tokens[last] && slices.ContainsFunc(c.parts[first:last+1], isPhrase) {
			found = append(found, bearer{c.tokens[first], s})
		}
	}
	return found, err
}

// isPhrase tells lists of sentences from lists of words: an order of single words is one that nobody gives.
func isPhrase(part string) bool { return strings.Contains(strings.TrimSpace(part), " ") }

// enough is the score of a signal that counts by itself.
const enough = 50

func (c *chain) partAt(at int) int {
	i, found := slices.BinarySearch(c.starts, at)
	if !found {
		i--
	}
	return max(i, 0)
}

// spelt returns the name of a property as a sentence, if it is one without spaces: ignore_all_previous_instructions, or
// ignoreAllPreviousInstructions. Its length is that of name if it has underscores and hyphens alone.
func spelt(name string) string {
	if len(name) < 16 || len(name) > 300 || strings.Contains(name, " ") {
		return name
	}
	if strings.Count(name, "_")+strings.Count(name, "-")+strings.Count(name, ".") >= 3 {
		return strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(name)
	}
	var b strings.Builder
	words := 0
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' && i > 0 && 'a' <= name[i-1] && name[i-1] <= 'z' {
			b.WriteByte(' ')
			words++
			b.WriteByte(c | 0x20)
			continue
		}
		b.WriteByte(name[i])
	}
	if words < 3 {
		return name
	}
	return b.String()
}
