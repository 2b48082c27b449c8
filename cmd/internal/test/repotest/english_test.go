// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The budget of English. Relative clauses that nest make a sentence stiff, and one that opens with a relative
// word hides its subject. Good Go documentation has 1 to 3 % of the first kind and none of the second.
const (
	treeBudget  = 4  // per cent of all comments, and of all documents
	unitBudget  = 6  // per cent of one package or document
	unitMinimum = 20 // sentences below which a unit has no share of its own
	mostShown   = 40 // sentences in a failure
)

func TestEnglish(t *testing.T) {
	t.Parallel()
	for kind, units := range map[string]map[string][]sentence{
		"comments":  commentSentences(written(t)),
		"documents": documentSentences(t),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			all := slices.Concat(slices.Collect(maps.Values(units))...)
			t.Logf("%d sentences, %.1f %% with two or more relative words", len(all), percent(nested(all), all))
			for _, failure := range overBudget(units) {
				t.Error(failure)
			}
		})
	}
}

// commentSentences returns the sentences of comments outside tests, by package.
func commentSentences(list []*source) map[string][]sentence {
	units := map[string][]sentence{}
	for _, s := range list {
		if s.test() {
			continue
		}
		for _, group := range s.syntax.Comments {
			for _, p := range commentParagraphs(s, group) {
				units[s.dir()] = append(units[s.dir()], p.sentences(".!?:;")...)
			}
		}
	}
	return units
}

// documentSentences returns the sentences of the Markdown files, by file.
func documentSentences(t *testing.T) map[string][]sentence {
	t.Helper()
	units := map[string][]sentence{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		short = filepath.ToSlash(short)
		for _, p := range documentParagraphs(short, string(text)) {
			units[short] = append(units[short], p.sentences(".!?")...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(units) < 20 {
		t.Fatalf("only %d documents found below %s", len(units), root)
	}
	return units
}

// overBudget says how the sentences of units exceed the budget, the worst of them first.
func overBudget(units map[string][]sentence) []string {
	var failures []string
	var all, opening []sentence
	for name, unit := range units {
		all = append(all, unit...)
		if nested := nested(unit); len(unit) >= unitMinimum && percent(nested, unit) > unitBudget {
			failures = append(failures, fmt.Sprintf("%s: %s", name, excess(nested, unit, unitBudget)))
		}
	}
	for _, s := range all {
		if s.opens() {
			opening = append(opening, s)
		}
	}
	slices.Sort(failures)
	if nested := nested(all); percent(nested, all) > treeBudget {
		failures = append(failures, "the tree: "+excess(nested, all, treeBudget))
	}
	if len(opening) > 0 {
		failures = append(failures, fmt.Sprintf("%d sentences open with a relative word:%s", len(opening), shown(opening)))
	}
	return failures
}

func nested(list []sentence) []sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s sentence) bool { return s.relatives() < 2 })
}

func percent(part, all []sentence) float64 {
	return 100 * float64(len(part)) / float64(max(len(all), 1))
}

func excess(nested, all []sentence, budget int) string {
	return fmt.Sprintf("%d of %d sentences (%.1f %%, more than %d %%) have two or more relative words:%s",
		len(nested), len(all), percent(nested, all), budget, shown(nested))
}

// shown lists sentences for a failure, those with most relative words for their length first.
func shown(list []sentence) string {
	slices.SortFunc(list, func(a, b sentence) int {
		if n := b.relatives()*len(a.words) - a.relatives()*len(b.words); n != 0 {
			return n
		}
		return strings.Compare(a.String(), b.String())
	})
	var text strings.Builder
	for _, s := range list[:min(len(list), mostShown)] {
		fmt.Fprintf(&text, "\n\t%s", s)
	}
	return text.String()
}

// A paragraph is prose of a file that belongs together.
type paragraph struct {
	file  string
	lines []line
}

type line struct {
	number int
	text   string
}

// A sentence is the words between two ends of sentences, and where the first of them stands.
type sentence struct {
	file  string
	line  int
	words []string
}

func (s sentence) String() string {
	return fmt.Sprintf("%s:%d: %s", s.file, s.line, strings.Join(s.words, " "))
}

// fewestWords leaves out labels and fragments.
const fewestWords = 5

var (
	relative  = regexp.MustCompile(`(?i)\b(?:what|whatever|that|which|who|whoever|whom|whose)\b`)
	opening   = regexp.MustCompile(`^[("*_\[]*(?:(?:Of|Where) what|What|Whatever|Who|Whoever|Whose)\b`)
	notProse  = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|<[^<> ][^<>]*>")
	shortened = regexp.MustCompile(`(?i)^[(]*(?:e\.g|i\.e|cf|vs|no)\.$`)
)

func (s sentence) relatives() int {
	return len(relative.FindAllString(strings.Join(s.words, " "), -1))
}

func (s sentence) opens() bool { return opening.MatchString(s.words[0] + " " + s.words[1]) }

// sentences splits a paragraph behind words that end with one of the given marks. Code, HTML elements and the targets
// of links do not count as words, and a full stop within them ends nothing.
func (p paragraph) sentences(marks string) []sentence {
	var list []sentence
	current := sentence{file: p.file}
	end := func() {
		if len(current.words) >= fewestWords {
			list = append(list, current)
		}
		current = sentence{file: p.file}
	}
	for _, l := range p.withoutCode() {
		for _, word := range strings.Fields(l.text) {
			if len(current.words) == 0 {
				current.line = l.number
			}
			current.words = append(current.words, word)
			bare := strings.TrimRight(word, `)]"'*_”»`)
			if bare != "" && strings.Contains(marks, bare[len(bare)-1:]) && !shortened.MatchString(word) {
				end()
			}
		}
	}
	end()
	return list
}

// withoutCode puts "…" in the place of code and HTML elements and drops the targets of links. Each may span lines.
func (p paragraph) withoutCode() []line {
	var text strings.Builder
	for _, l := range p.lines {
		text.WriteString(l.text + "\n")
	}
	prose := notProse.ReplaceAllStringFunc(text.String(), func(code string) string {
		mark := "…"
		if strings.HasPrefix(code, "]") {
			mark = "]"
		}
		return mark + strings.Repeat("\n", strings.Count(code, "\n"))
	})
	var list []line
	for i, text := range strings.Split(strings.TrimSuffix(prose, "\n"), "\n") {
		list = append(list, line{p.lines[i].number, text})
	}
	return list
}

var (
	directive = regexp.MustCompile(`^//(?:[a-z0-9]+:[a-z0-9]|nolint|line )`)
	listItem  = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s+`)
	fence     = regexp.MustCompile("^\\s*(```|~~~)")
)

// commentParagraphs returns the paragraphs and list items of a comment; the licence, directives, headings
// and indented code are left out.
func commentParagraphs(s *source, group *ast.CommentGroup) []paragraph {
	if strings.Contains(group.Text(), "SPDX-License-Identifier") {
		return nil
	}
	found := paragraphs{file: s.name}
	for _, comment := range group.List {
		number := 1 + strings.Count(s.text[:comment.Pos()-s.syntax.FileStart], "\n")
		text, block := strings.CutPrefix(comment.Text, "/*")
		if block {
			text = strings.TrimSuffix(text, "*/")
		} else {
			text = strings.TrimPrefix(text, "//")
		}
		if directive.MatchString(comment.Text) {
			found.end()
			continue
		}
		for i, text := range strings.Split(text, "\n") {
			found.add(line{number + i, strings.TrimSuffix(strings.TrimPrefix(text, " "), "\r")}, "  ")
		}
	}
	found.end()
	return found.list
}

// documentParagraphs returns the paragraphs and list items of a Markdown document; headings, tables, HTML comments
// and code are left out.
func documentParagraphs(file, text string) []paragraph {
	found := paragraphs{file: file}
	fenced := ""
	for i, text := range strings.Split(text, "\n") {
		mark := fence.FindStringSubmatch(text)
		switch {
		case fenced != "":
			if mark != nil && mark[1] == fenced {
				fenced = ""
			}
		case mark != nil:
			found.end()
			fenced = mark[1]
		case strings.HasPrefix(text, "|"), strings.HasPrefix(text, "<!--"):
			found.end()
		default:
			found.add(line{i + 1, strings.TrimPrefix(strings.TrimSuffix(text, "\r"), "> ")}, "    ")
		}
	}
	found.end()
	return found.list
}

// paragraphs collects them line by line.
type paragraphs struct {
	file    string
	current []line
	list    []paragraph
	items   bool // within a list, where indentation is no code
}

func (p *paragraphs) end() {
	if len(p.current) > 0 {
		p.list = append(p.list, paragraph{p.file, p.current})
	}
	p.current = nil
}

// add takes the next line; code is the indentation that makes a line code.
func (p *paragraphs) add(l line, code string) {
	indented := strings.HasPrefix(l.text, code) || strings.HasPrefix(l.text, "\t")
	item := listItem.FindString(l.text)
	switch {
	case strings.TrimSpace(l.text) == "", strings.HasPrefix(l.text, "#"):
		p.end()
	case item != "":
		p.end()
		p.items = true
		p.current = append(p.current, line{l.number, l.text[len(item):]})
	case indented && !p.items && len(p.current) == 0:
		// code
	default:
		p.items = p.items && (indented || len(p.current) > 0 || strings.HasPrefix(l.text, " "))
		p.current = append(p.current, l)
	}
}
