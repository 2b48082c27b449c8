// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/lazy"
)

// A Pattern describes one kind of secret. Its form is that of the pattern sets of gitleaks and
// betterleaks, as far as it can be told from a text alone.
type Pattern struct {
	// ID names the pattern in markers, options and figures: lower case letters, digits, dots,
	// hyphens and underscores.
	ID string `json:"id"`

	// Regex is in Go's syntax. Of letters in either case, (?i), those of ASCII are meant.
	Regex string `json:"regex"`

	// Keywords are words. A text must hold one of them, in either case, or else the pattern is
	// not tried. Without any, it always is.
	Keywords []string `json:"keywords,omitempty"`

	// SecretGroup is the group of the expression that is the secret. The default is the
	// first one that matched any text, or the whole match.
	SecretGroup int `json:"secret_group,omitempty"`

	// Entropy is a lower bound of the secret's Shannon entropy, in bits per byte.
	Entropy float64 `json:"entropy,omitempty"`

	// Allow describes look-alikes that are not secrets.
	Allow []Allow `json:"allow,omitempty"`

	// Component is set for a pattern that finds no secret, only a part that another pattern
	// requires.
	Component bool `json:"component,omitempty"`

	// Require names patterns that must all match nearby.
	Require []Requirement `json:"require,omitempty"`

	// Generic is set for a pattern that knows no issuer: its matches give way to those of other
	// patterns at the same place.
	Generic bool `json:"generic,omitempty"`
}

// Allow describes matches that are not secrets.
type Allow struct {
	// Target is the text for Regexes: the "secret" (the default), the "match" or its "line".
	Target string `json:"target,omitempty"`

	// Regexes allow a match if one of them matches the target; with Not, if none does.
	Regexes []string `json:"regexes,omitempty"`
	Not     bool     `json:"not,omitempty"`

	// Words allow a match if the secret holds one of them, in either case.
	Words []string `json:"words,omitempty"`

	// All demands both, a regular expression and a word.
	All bool `json:"all,omitempty"`
}

// A Requirement is another pattern that must match as well.
type Requirement struct {
	ID    string `json:"id"`
	Lines int    `json:"lines,omitempty"` // at most so far away; 0 is anywhere in the text
}

// A compiled pattern is a Pattern made ready. The expressions are compiled when they are first needed:
// most never are.
type compiled struct {
	Pattern
	head     *head                 // what the expression begins with; nil for nothing
	regex    func() *regexp.Regexp // without the head
	allow    []*allow              // beside those of all patterns
	places   []*place              // of the anchors; none: the expression has to look at the whole text
	words    [][]string            // by place
	keywords bool                  // the keywords say more than the anchors
}

func compile(r Pattern) (*compiled, error) {
	if err := checkID(r.ID); err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(r.Regex, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", r.ID, err)
	}
	if emptyMatch(parsed) {
		return nil, fmt.Errorf("pattern %s: the expression matches the empty text", r.ID)
	}
	if slices.Contains(r.Keywords, "") {
		return nil, fmt.Errorf("pattern %s: a keyword is empty", r.ID)
	}
	if r.SecretGroup < 0 || r.SecretGroup > parsed.MaxCap() {
		return nil, fmt.Errorf("pattern %s: the expression has no group %d", r.ID, r.SecretGroup)
	}
	c := &compiled{Pattern: r, regex: regexOf(r.Regex)}
	if h, rest := splitHead(parsed); h != nil {
		c.head, c.regex = h, regexOf(rest.String())
	}
	anchors := anchorsOf([]*syntax.Regexp{parsed})
	for _, a := range anchors {
		c.places = append(c.places, newPlace(a))
		c.words = append(c.words, lowered(a.words))
	}
	c.keywords = len(r.Keywords) > 0 && !implied(r.Keywords, anchors)
	if c.allow, err = newAllows(r.Allow); err != nil {
		return nil, fmt.Errorf("pattern %s: %w", r.ID, err)
	}
	return c, nil
}

// emptyMatch reports whether n can match no text at all. It cannot tell of assertions.
func emptyMatch(n *syntax.Regexp) bool {
	t := tailOf(n)
	_, empty := t.first()
	return empty
}

func checkID(id string) error {
	if !ruleID.MatchString(id) {
		return errors.New("a pattern's id must be lower case letters, digits, dots, hyphens and underscores, at most 100")
	}
	return nil
}

// A head is an optional run of characters that an expression begins with, the shortest that will do. Without it, the
// expression is small enough for the faster one of Go's two ways to match.
type head struct {
	class []rune // pairs, as in syntax.Regexp
	most  int    // characters
}

// splitHead returns the head of an expression and its rest, or nil if it has none.
func splitHead(n *syntax.Regexp) (*head, *syntax.Regexp) {
	if n.Op != syntax.OpConcat || len(n.Sub) < 2 {
		return nil, nil
	}
	first := n.Sub[0]
	if first.Op != syntax.OpRepeat || first.Min > 0 || first.Max < 0 || first.Flags&syntax.NonGreedy == 0 || first.Sub[0].Op != syntax.OpCharClass {
		return nil, nil
	}
	return &head{first.Sub[0].Rune, first.Max}, &syntax.Regexp{Op: syntax.OpConcat, Flags: n.Flags, Sub: n.Sub[1:]}
}

// before returns where a match with its head begins, whose rest begins at the end of text.
func (h *head) before(text string) int {
	at := len(text)
	for n := 0; h != nil && n < h.most && at > 0; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		in := false
		for i := 0; i < len(h.class); i += 2 {
			in = in || h.class[i] <= r && r <= h.class[i+1]
		}
		if !in {
			break
		}
		at -= size
	}
	return at
}

// regexOf compiles an expression when it is first asked for.
func regexOf(expr string) func() *regexp.Regexp {
	return lazy.Value(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// implied reports whether each word of the anchors holds a keyword.
func implied(keywords []string, anchors []anchor) bool {
	if len(anchors) == 0 {
		return false
	}
	for _, a := range anchors {
		for _, w := range a.words {
			if !slices.ContainsFunc(keywords, func(k string) bool { return strings.Contains(w, strings.ToLower(k)) }) {
				return false
			}
		}
	}
	return true
}

// An allow is an Allow made ready.
type allow struct {
	Allow
	regexes []func() *regexp.Regexp
	words   func() *dictionary
	needed  func() *needed // of any text that one of the regexes matches
}

// any is an expression that matches where one of the regexes does.
func (a *allow) any() string { return "(?:" + strings.Join(a.Regexes, ")|(?:") + ")" }

func newAllows(list []Allow) ([]*allow, error) {
	var all []*allow
	for i, a := range list {
		ready, err := newAllow(a)
		if err != nil {
			return nil, fmt.Errorf("allow %d: %w", i+1, err)
		}
		all = append(all, ready)
	}
	return all, nil
}

func newAllow(a Allow) (*allow, error) {
	if !slices.Contains([]string{"", "secret", "match", "line"}, a.Target) {
		return nil, fmt.Errorf("target must be secret, match or line")
	}
	if len(a.Regexes)+len(a.Words) == 0 {
		return nil, errors.New("it holds no expressions and no words")
	}
	c := &allow{Allow: a}
	for _, expr := range a.Regexes {
		if _, err := syntax.Parse(expr, syntax.Perl); err != nil {
			return nil, err
		}
		c.regexes = append(c.regexes, regexOf(expr))
	}
	if slices.Contains(a.Words, "") {
		return nil, errors.New("a word is empty")
	}
	c.needed = lazy.Value(func() *needed {
		parsed, err := syntax.Parse(c.any(), syntax.Perl)
		if err != nil {
			return nil
		}
		return newNeeded([]*syntax.Regexp{parsed})
	})
	c.words = lazy.Value(func() *dictionary { return newDictionary(lowered(a.Words)) })
	return c, nil
}

// lowered returns words in lower case, sorted, each once.
func lowered(words []string) []string {
	var all []string
	for _, w := range words {
		all = append(all, strings.ToLower(w))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
