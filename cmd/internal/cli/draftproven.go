// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// plainText is the demand on a text that becomes part of a command: letters, digits and some signs, none of which
// means anything to a shell or separates arguments, and no dash in front. The dollar sign is written as in a policy.
const plainText = `text: {pattern: '^[\p{L}\p{N}_./:@%+=,][\p{L}\p{N}_./:@%+=,-]*$$'}`

// sqlWrite is the kind of a statement that writes where only reading is promised, and readingStatement the demand against it. A text that is a whole
// statement has blanks and signs.
const (
	sqlWrite         = "sql-write"
	readingStatement = "sql: {}"
)

// designed is the kind of an argument whose purpose is a command, designedOptions are those of its demand, and designedComment says why.
// An argument of the kind code has no demand: codeComment says why.
const (
	designed        = "command-by-design"
	code            = "code-by-design"
	codeComment     = "          # proven: by design the tool runs any code in %s; no demand on arguments bounds code of any language, so contain alone holds this: keep it\n"
	designedOptions = `{programs: ["git status", ls, pwd], allow: [pipe, list, newline, redirection, glob, expansion, assignment]}`
	designedComment = "          # proven: by design the tool runs any command, so only the listed programs pass: write those here that callers need\n" +
		"          # | && || ; and line breaks may join them, since each is judged; loosen: set allow: [pipe, list, newline, redirection, glob, expansion, assignment, substitution, escape]\n"
)

const plainTextComment = "          # proven: its text becomes part of a command, so it has no blanks and no signs of a shell\n"

// A provenTool has the weaknesses of a tool that a policy can close.
type provenTool struct {
	output    []string // kinds of odd content in its results
	arguments []provenArgument
}

// A provenArgument is an argument with weaknesses, by class.
type provenArgument struct {
	address            string
	path, url, command bool
	statement          bool // a statement writes where only reading is promised
	resolve            bool // a name that leads to a forbidden address passes
	designed, code     bool // it is any command, or any code, by design
	written            bool
}

// proven finds the proven weaknesses of a tool.
func (d *drafting) proven(t *call.Tool) *provenTool {
	p := &provenTool{}
	name := strictjson.Printable(t.Name, 128) // as the audit writes it
	for _, w := range d.found {
		if w.Tool == name && runsAnything(&w) {
			a := p.at(w.Param)
			a.designed, a.code = true, a.code || slices.Contains(w.Kinds, code)
		}
		if w.Tool != name || w.Confidence != audit.Proven || !w.Graded() {
			continue
		}
		switch w.Class {
		case audit.Output:
			p.output = append(p.output, w.Kinds...)
		case audit.Path, audit.URL, audit.Command:
			a := p.at(w.Param)
			a.path, a.url = a.path || w.Class == audit.Path, a.url || w.Class == audit.URL
			writes := slices.Contains(w.Kinds, sqlWrite)
			a.statement = a.statement || writes
			a.command = a.command || w.Class == audit.Command && !(writes && len(w.Kinds) == 1)
			a.resolve = a.resolve || slices.Contains(w.Kinds, "ssrf-dns")
		}
	}
	slices.SortFunc(p.arguments, func(a, b provenArgument) int { return bytes.Compare([]byte(a.address), []byte(b.address)) })
	return p
}

// runsAnything reports whether an audit saw that an argument is any command or code, by design.
func runsAnything(w *audit.Weakness) bool {
	return w.Suppressed == nil && (slices.Contains(w.Kinds, designed) || slices.Contains(w.Kinds, code)) && slices.ContainsFunc(w.Evidence, func(f audit.Fact) bool { return f.Proof != nil })
}

// oddContent is what a result must not hold, by the kind of weakness: patterns for the check injection, which itself looks for such signs only where they
// hide words.
var oddContent = []struct{ kind, name, what, pattern string }{
	{"control-characters", "escapes", "escape sequences for terminals", `[\x{1b}\x{9b}]`},
	{"invisible", "unseen", "characters that nobody sees", `[\x{200b}\x{202a}-\x{202e}\x{2060}\x{2066}-\x{2069}\x{e0000}-\x{e007f}]`},
	{"hidden-text", "comments", "comments of HTML, and elements that a style hides, in their tags", `<!--|(display:\s*none|visibility:\s*hidden)`},
}

// writeOutput writes the demand on results, and names the weaknesses that it closes or leaves. It reports whether there is a demand.
func (p *provenTool) writeOutput(b *bytes.Buffer) bool {
	var closed, patterns []string
	for _, o := range oddContent {
		if slices.Contains(p.output, o.kind) {
			closed = append(closed, o.what)
			patterns = append(patterns, o.name+": '"+o.pattern+"'")
		}
	}
	if slices.Contains(p.output, "unbounded") {
		b.WriteString("        # proven: it passes on a text of 2 MB in full; this stays open: no demand bounds the size of a result\n")
	}
	if slices.Contains(p.output, "unhidden-text") {
		b.WriteString("        # proven: it passes on hidden text of HTML without its tags; this stays open: no demand can tell it from visible text\n")
	}
	if len(closed) == 0 {
		return false
	}
	fmt.Fprintf(b, "        # proven: it passes on %s; a result with such is withheld\n", strings.Join(closed, ", and "))
	b.WriteString("        # loosen: set action: annotate, which marks it as data\n")
	fmt.Fprintf(b, "        output: {injection: {action: withhold, patterns: {%s}}}\n", strings.Join(patterns, ", "))
	return true
}

// at returns the argument with an address, which may be new.
func (p *provenTool) at(address string) *provenArgument {
	if a := p.find(address); a != nil {
		return a
	}
	p.arguments = append(p.arguments, provenArgument{address: address})
	return &p.arguments[len(p.arguments)-1]
}

// find returns the argument with an address, or nil.
func (p *provenTool) find(address string) *provenArgument {
	for i := range p.arguments {
		if p.arguments[i].address == address {
			return &p.arguments[i]
		}
	}
	return nil
}

// instead reports whether a proven weakness shows that a guess is wrong: the argument is of another kind.
func (p *provenTool) instead(g infer.Guess) bool {
	a := p.find(g.Address)
	if a != nil && a.designed {
		return a.code || g.Kind != infer.Command
	}
	return a != nil && (a.path || a.url) && !(a.path && g.Kind == infer.Path || a.url && g.Kind == infer.URL)
}

// resolves reports whether the names of a URL must be resolved.
func (p *provenTool) resolves(address string) bool {
	a := p.find(address)
	return a != nil && a.resolve
}

// take returns what further demands an argument gets beside that of a guess.
func (p *provenTool) take(address string, kind infer.Kind) string {
	a := p.find(address)
	if a == nil {
		return ""
	}
	a.written = true
	demand := ""
	if a.designed {
		return ""
	}
	if a.command && kind != infer.Command {
		demand += ", " + plainText
	}
	if a.statement && kind != infer.SQL {
		demand += ", " + readingStatement
	}
	return demand
}

// write writes the demands on arguments that no guess is about, and returns their number.
func (p *provenTool) write(b *bytes.Buffer, t *call.Tool, d *drafting) (demands int) {
	for _, a := range p.arguments {
		var demand string
		switch {
		case a.written:
			continue
		case a.code:
			fmt.Fprintf(b, codeComment, oneLine(a.address, maxDescription))
		case a.designed:
			b.WriteString(designedComment)
			demand = "command: " + designedOptions
		case a.path && a.url:
			fmt.Fprintf(b, "          # proven: %s is a path and a URL at once, which no demand is for\n", oneLine(a.address, maxDescription))
		case a.path:
			b.WriteString("          # proven: a path leads out of the server's directories\n")
			demand = "path: {}"
		case a.url:
			b.WriteString("          # proven: a URL leads to a forbidden address\n")
			options := everyday(t, infer.URL)
			if a.resolve {
				options = withOption(options, "resolve: true")
			}
			demand = "url: " + d.hosts(b, t, a.address, options)
		case a.statement:
			b.WriteString("          # proven: a statement writes, although the tool promises to read\n")
			demand = readingStatement
		}
		if a.command && !a.designed {
			b.WriteString(plainTextComment)
			if demand != "" {
				demand += ", "
			}
			demand += plainText
		}
		if demand != "" {
			demands++
			fmt.Fprintf(b, "          %s: {%s}\n", key(argument(a.address)), demand)
		}
	}
	return demands
}

// hosts says, before a demand on a URL, that any public host passes. Where the audit fetched a page of a host of its own, that is what the tool is for.
func (d *drafting) hosts(b *bytes.Buffer, t *call.Tool, address, options string) string {
	switch {
	case d.found == nil: // no audit has tried the tool
		return options
	case slices.Contains(d.worked, audit.Cell{Tool: strictjson.Printable(t.Name, 128), Param: address, Class: audit.URL}):
		b.WriteString("          # proven: the tool fetches from any host, so each public one passes; tighten: name in hosts those that callers need\n")
		return withOption(options, `hosts: ["*"]`)
	}
	b.WriteString("          # any public host passes, as policy lint will say: name in hosts those that callers need, or [\"*\"] if any is meant\n")
	return options
}
