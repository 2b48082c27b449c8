// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Server is what an audit knows of the code of a server. The zero value stands for no code: each suspicion is then of
// the server as a whole.
type Server struct {
	Code *os.Root // the audited directory; nil: none
	// Prefix is the audited directory below the current one, where engines often run: "servers/files". Empty: they are
	// the same, or it is not below.
	Prefix string
	Tools  []source.Tool
	Facts  []audit.Fact // of the readers of source code
}

const (
	maxCode    = 16 << 20 // bytes of a file whose lines are read
	maxHeld    = 64 << 20 // bytes of files that are held at a time
	maxPerCell = 20       // suspicions of a cell
	maxNamed   = 3        // rules or files in a note
)

// Suspicions are the results as facts, each about the tool and the parameter that the server's code tells, and notes
// on all others. A result without a known tool is about the server. Both depend on the log and the server alone.
func (l *Log) Suspicions(s Server) (facts []audit.Fact, notes []string) {
	c := connector{Server: s, lines: map[string][]string{}, left: map[string]*tally{}, cells: map[audit.Cell]int{}, seen: map[string]bool{}}
	c.index()
	for i := range l.results {
		c.result(&l.results[i])
	}
	return c.facts, append(slices.Clone(l.notes), c.notes()...)
}

type connector struct {
	Server
	roots []string // the directory's absolute path, also with its links resolved
	sinks map[sink][]audit.Cell
	lines map[string][]string // of files, nil: there is no such file
	held  int                 // bytes of lines
	facts []audit.Fact
	left  map[string]*tally // by the words behind "results"
	cells map[audit.Cell]int
	seen  map[string]bool
}

// A sink is a place that the readers of source code know a value to reach.
type sink struct {
	class audit.Class
	file  string
	line  int
}

// A tally counts results that share a note.
type tally struct {
	n     int
	names []string // examples
}

func (c *connector) count(what, name string) {
	t := c.left[what]
	if t == nil {
		t = &tally{}
		c.left[what] = t
	}
	t.n++
	name = strictjson.Printable(name, maxRule)
	if name != "" && !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
}

// The notes on suspicions without a known place.
const (
	outside   = "of files that are not in the audited directory"
	nowhere   = "without a line of a file, so about the server"
	toolless  = "of code of which no tool is known, so about the server"
	unread    = "about the server, because its code was not read (name its directory, too)"
	redundant = "about a place with many others, only counted"
)

func (c *connector) notes() (list []string) {
	for _, what := range []string{string(uncovered), string(minor), string(passed), string(absent), outside, nowhere, toolless, unread, redundant} {
		t := c.left[what]
		if t == nil {
			continue
		}
		n := fmt.Sprintf("%d results %s", t.n, what)
		if t.n == 1 {
			n = "1 result " + what
		}
		slices.Sort(t.names)
		if len(t.names) > maxNamed {
			t.names = append(t.names[:maxNamed], "…")
		}
		if len(t.names) > 0 {
			n += ": " + strings.Join(t.names, ", ")
		}
		list = append(list, n)
	}
	return list
}

// index gathers the places that arguments reach by the readers of source code.
func (c *connector) index() {
	if c.Code != nil {
		if dir, err := filepath.Abs(c.Code.Name()); err == nil {
			c.roots = append(c.roots, filepath.ToSlash(dir))
			if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
				c.roots = append(c.roots, filepath.ToSlash(real))
			}
		}
	}
	c.sinks = map[sink][]audit.Cell{}
	for _, f := range c.Facts {
		if f.Method != audit.Static || f.Verdict == audit.NoEvidence || len(f.Flow) == 0 || f.Tool == "" {
			continue
		}
		last := f.Flow[len(f.Flow)-1]
		at := sink{f.Class, last.File, last.Line}
		if !slices.Contains(c.sinks[at], f.Cell) {
			c.sinks[at] = append(c.sinks[at], f.Cell)
		}
	}
}

func (c *connector) result(r *result) {
	if r.left != "" {
		c.count(string(r.left), r.rule)
		return
	}
	for _, t := range r.topics {
		c.suspect(r, t)
	}
}

// A site is a place in the audited code.
type site struct {
	audit.Place
	place
}

// suspect adds the suspicions of a result about a class.
func (c *connector) suspect(r *result, t topic) {
	fact := audit.Fact{Cell: audit.Cell{Class: t.class}, Method: audit.Static, Verdict: audit.Vulnerable, Confidence: audit.Suspected, Kind: t.kind,
		Engine: r.engine, Why: fmt.Sprintf("suspected by %s, by its rule %s", r.engine, r.rule)}
	if t == sql {
		fact.Confidence = audit.Metadata
	}
	var at *site
	if r.at != nil {
		found, inside := c.site(r.at)
		if !inside {
			c.count(outside, first(r.at.relative, r.at.absolute))
			return
		}
		if found.Line > 0 {
			at = &found
		}
	}
	if at == nil {
		c.count(nowhere, r.rule)
		c.add(fact)
		return
	}
	var flow []site
	for i := range r.flow {
		if found, inside := c.site(&r.flow[i]); inside && found.Line > 0 {
			flow = append(flow, found)
			fact.Flow = append(fact.Flow, found.Place)
		}
	}
	if n := len(flow); n == 0 || flow[n-1].File != at.File || flow[n-1].Line != at.Line {
		fact.Flow = append(fact.Flow, at.Place)
	}
	fact.Flow[len(fact.Flow)-1].Note = "suspected by " + r.engine
	cells := c.cellsOf(t.class, at, flow)
	switch {
	case len(cells) > 0:
	case c.Code == nil:
		c.count(unread, r.rule)
	default:
		c.count(toolless, at.File)
	}
	if len(cells) == 0 {
		cells = []audit.Cell{{Class: t.class}}
	}
	for _, cell := range cells {
		fact.Cell = cell
		c.add(fact)
	}
}

// add adds a suspicion, once.
func (c *connector) add(f audit.Fact) {
	where := ""
	if n := len(f.Flow); n > 0 {
		where = f.Flow[n-1].String()
	}
	key := fmt.Sprintf("%q %q %q %q", f.Cell, f.Kind, f.Why, where)
	switch {
	case c.seen[key]:
	case c.cells[f.Cell] >= maxPerCell:
		c.count(redundant, "")
	default:
		c.cells[f.Cell]++
		c.facts = append(c.facts, f)
	}
	c.seen[key] = true
}

// cellsOf are the tools and parameters of a suspicion. The tool is that in whose handler the flow begins, and without a
// flow that of the place itself. If the place is in no handler, the tools are those that reach it by our own readers.
func (c *connector) cellsOf(class audit.Class, at *site, flow []site) []audit.Cell {
	reached := c.sinks[sink{class, at.File, at.Line}]
	steps := append(slices.Clone(flow), *at)
	tool := c.handler(&steps[0])
	if tool == nil && len(flow) == 0 {
		return reached
	}
	if tool == nil {
		// The flow begins before the handler, such as at a reader of messages.
		for i := range steps {
			if tool = c.handler(&steps[i]); tool != nil {
				break
			}
		}
		if tool == nil {
			return reached
		}
	}
	own := slices.DeleteFunc(slices.Clone(reached), func(c audit.Cell) bool { return c.Tool != tool.Name })
	for i := range steps {
		if h := c.handler(&steps[i]); h != nil && h.Name == tool.Name {
			if p := c.parameter(tool, &steps[i]); p != "" {
				return []audit.Cell{{Tool: tool.Name, Param: p, Class: class}}
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	return []audit.Cell{{Tool: tool.Name, Class: class}}
}

// handler is the tool in whose handler a place is, or nil: there is none, or the handler is of several tools. Of
// handlers within each other the innermost counts.
func (c *connector) handler(at *site) *source.Tool {
	var best *source.Tool
	size, shared := 0, false
	for i := range c.Tools {
		t := &c.Tools[i]
		end := max(t.End, t.Handler.Line)
		if t.Handler.File != at.File || at.Line < t.Handler.Line || at.Line > end {
			continue
		}
		switch n := end - t.Handler.Line; {
		case best == nil || n < size:
			best, size, shared = t, n, false
		case n == size && t.Name != best.Name:
			shared = true
		}
	}
	if shared || best == nil || best.Name == "" {
		return nil
	}
	return best
}

// word finds the names in a text.
var word = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)

// parameter is the only parameter of a tool that the code at a place names, or "".
func (c *connector) parameter(t *source.Tool, at *site) string {
	words := word.FindAllString(c.text(at), -1)
	found := ""
	for _, pointer := range t.Params {
		steps := strings.Split(strings.TrimSuffix(pointer, "/*"), "/")
		if name := unescape.Replace(steps[len(steps)-1]); slices.Contains(words, name) {
			if found != "" {
				return ""
			}
			found = pointer
		}
	}
	return found
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// text is the code of a region, or its first line if the columns are not known.
func (c *connector) text(at *site) string {
	lines := c.read(at.File)
	if at.Line > len(lines) {
		return ""
	}
	line := lines[at.Line-1]
	if at.col == 0 {
		return line
	}
	from := at.offset(line, at.col)
	switch {
	case at.endLine > at.Line && at.endLine <= len(lines):
		rest := lines[at.Line:min(at.endLine, at.Line+maxNamed)]
		return line[from:] + "\n" + strings.Join(rest, "\n")
	case at.endLine == at.Line && at.endCol > at.col:
		return line[from:max(from, at.offset(line, at.endCol))]
	}
	return line[from:]
}

// offset is that of a column in a line, in bytes.
func (p *place) offset(line string, col int) int {
	for i, r := range line {
		if col <= 1 {
			return i
		}
		if col--; !p.points && utf16.RuneLen(r) == 2 {
			col--
		}
	}
	return len(line)
}

// column is a column in UTF-16 code units, as reports have them; 0: the line has no such column.
func (p *place) column(line string) int {
	if p.col == 0 || p.col > len(line)+1 {
		return 0
	}
	return len(utf16.Encode([]rune(line[:p.offset(line, p.col)]))) + 1
}

// site finds a place in the audited directory. inside: the file is there, or there is no directory. Its line is 0 if the
// file has no such line.
func (c *connector) site(p *place) (found site, inside bool) {
	found.place = *p
	if c.Code == nil {
		found.Place = audit.Place{File: first(p.relative, strings.TrimPrefix(p.absolute, "/")), Line: p.line}
		return found, true
	}
	for _, name := range c.names(p) {
		lines := c.read(name)
		if lines == nil {
			continue
		}
		found.Place = audit.Place{File: name}
		if p.line <= len(lines) && p.line > 0 {
			found.Line, found.Col = p.line, p.column(lines[p.line-1])
		}
		return found, true
	}
	return found, false
}

// names are the files that a place may mean, relative to the directory: below it, as the paths say; below the
// current directory, where engines often run; or below the engine's own place on another machine.
func (c *connector) names(p *place) (list []string) {
	for _, root := range c.roots {
		if name, ok := below(root, p.absolute); ok {
			list = append(list, name)
		}
	}
	if name, ok := below(c.Prefix, p.relative); ok && c.Prefix != "" {
		list = append(list, name)
	}
	if p.relative != "" && filepath.IsLocal(filepath.FromSlash(p.relative)) {
		list = append(list, path.Clean(p.relative))
	}
	return list
}

// below cuts a directory from a path.
func below(dir, name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
	return rest, ok && filepath.IsLocal(filepath.FromSlash(rest))
}

// read returns the lines of a file of the directory; nil: there is none that can be read.
func (c *connector) read(name string) []string {
	if lines, ok := c.lines[name]; ok {
		return lines
	}
	var lines []string
	if info, err := c.Code.Stat(filepath.FromSlash(name)); err == nil && info.Mode()&fs.ModeType == 0 {
		if f, err := c.Code.Open(filepath.FromSlash(name)); err == nil {
			if raw, err := io.ReadAll(io.LimitReader(f, maxCode)); err == nil {
				if c.held += len(raw); c.held > maxHeld {
					clear(c.lines)
					c.held = len(raw)
				}
				lines = strings.Split(string(raw), "\n")
			}
			f.Close()
		}
	}
	c.lines[name] = lines
	return lines
}

// Steer returns the cells that suspicions tell a probe to try first, sorted.
func Steer(facts []audit.Fact) []audit.Cell {
	var list []audit.Cell
	for _, f := range facts {
		if f.Method == audit.Static && f.Verdict == audit.Vulnerable && f.Confidence != audit.Metadata && f.Tool != "" {
			list = append(list, f.Cell)
		}
	}
	slices.SortFunc(list, func(a, b audit.Cell) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Param, b.Param), cmp.Compare(a.Class, b.Class))
	})
	return slices.Compact(list)
}
