// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// A seed is content for a tool to read, with the marks in it.
type seed struct {
	value string   // of the parameter, for content with all that is odd
	plain string   // of the parameter, for content without
	each  []string // of the parameter, for content with one oddity each
	large string   // of the parameter, for large content; "" for none
	page  bool     // HTML: hidden parts must not come back
	marks marks
}

// marks are tokens in the content, one beside each kind of odd content.
type marks struct{ plain, comment, hidden, last string }

// largeSize is the size of large content in bytes; an answer longer than bounded was not bounded.
const (
	largeSize = 2 << 20
	bounded   = 1 << 20
)

// An oddity is one kind of odd content.
type oddity struct {
	kind, what string
	text       string // which holds what must not come back
	mark       string // what must not come back
	tag        string // before the mark in HTML; text that comes back without it is of the kind unhidden
	page       bool   // only of HTML
}

// unhidden is the kind of hidden text that comes back like visible text. Nothing behind the server can find it any more.
const unhidden = "unhidden-text"

// unbounded is the kind of a large text that comes back in full.
const unbounded = "unbounded"

// oddities are all odd content for tools to read.
func (m marks) oddities() []oddity {
	return []oddity{
		{kind: "control-characters", what: "escape sequences for terminals", text: "\x1b[31mred\x1b[0m \x1b]8;;http://" + publicHost + "\x1b\\link\x1b]8;;\x1b\\", mark: "\x1b["},
		{kind: "invisible", what: "zero-width characters", text: "zero\u200bwidth\u2060", mark: "\u200b"},
		{kind: "invisible", what: "characters that turn the direction of text", text: "turned\u202eback", mark: "\u202e"},
		{kind: "invisible", what: "invisible tag characters", text: "tag\U000E0041\U000E0042", mark: "\U000E0041"},
		{kind: "hidden-text", what: "a comment of the page", text: "<!-- " + m.comment + " -->", mark: m.comment, tag: "<!--", page: true},
		{kind: "hidden-text", what: "text that the page hides", text: `<p style="display:none">` + m.hidden + "</p>", mark: m.hidden, tag: "display:", page: true},
	}
}

// content is the content for tools to read, with odd content between tokens.
func (m marks) content(html bool, odd ...oddity) string {
	text, hidden := "", ""
	for _, o := range odd {
		switch {
		case !o.page:
			text += o.text + " "
		case html:
			hidden += o.text
		}
	}
	if !html {
		return m.plain + "\n" + text + "\n" + m.last + "\n"
	}
	return "<!doctype html><html><head><title>Page</title></head><body><main><h1>Page</h1><p>" + m.plain + "</p><p>" + text + "</p>" + hidden +
		"<p>" + strings.Repeat("A plain page of plain text. ", 20) + "</p><p>" + m.last + "</p></main></body></html>"
}

func newMarks() marks { return marks{token(), token(), token(), token()} }

// seedFile is the file of the root with odd content.
func (a *auditor) seedFile(f form) seed {
	w := a.world
	s := seed{value: f.write(w, "root", w.odd), plain: f.write(w, "root", w.odd+"plain"), large: f.write(w, "root", w.large), marks: w.marks}
	for i := range w.marks.oddities() {
		s.each = append(s.each, f.write(w, "root", w.single(i)))
	}
	return s
}

// seeds writes files with odd content, and with large content.
func (w *world) seeds() error {
	files := map[string]string{
		w.odd: w.marks.content(false, w.marks.oddities()...), w.odd + "plain": w.marks.content(false),
		w.large: strings.Repeat("A plain line of a large text, again and again.\n", largeSize/48) + w.marks.last + "\n",
	}
	for i, o := range w.marks.oddities() {
		if !o.page {
			files[w.single(i)] = w.marks.content(false, o)
		}
	}
	for name, content := range files {
		first := filepath.Join(w.dir, "root", name)
		if err := os.WriteFile(first, []byte(content), 0o644); err != nil {
			return err
		}
		for _, ext := range extensions[1:] {
			if err := os.Link(first, first+ext); err != nil {
				return err
			}
		}
	}
	return nil
}

// single is the name of the file with one oddity.
func (w *world) single(i int) string { return fmt.Sprintf("%sodd%d", w.odd, i) }

// seedPage puts content at a URL.
func (a *auditor) seedPage(b base) seed {
	m := newMarks()
	line := "<p>A plain line of a large page, again and again.</p>\n"
	put := func(body string, repeat int) string {
		return b.url(a.canary.expect(page{contentType: "text/html; charset=utf-8", body: body, repeat: repeat}))
	}
	s := seed{value: put(m.content(true, m.oddities()...), 0), plain: put(m.content(true), 0), large: put(line, largeSize/len(line)), page: true, marks: m}
	for _, o := range m.oddities() {
		s.each = append(s.each, put(m.content(true, o), 0))
	}
	return s
}

// An oddFinding is odd content that came back, and the call that got it.
type oddFinding struct {
	what      []string
	arguments map[string]any
}

// output finds the odd content that a tool passes on. Where a text with all of it does not come back, perhaps something withholds it for the worst:
// then each oddity is tried in a text of its own, if a plain text does come back.
func (a *auditor) output(ctx context.Context, t *tool, p parameter, s seed) {
	c := whole(t, audit.Output)
	if s.value == "" {
		return
	}
	arguments := t.sample(a.world, setting{p, s.value})
	r := a.call(ctx, t, arguments)
	if strings.Contains(r.decoded, s.marks.plain) {
		return // it came as binary data, and nobody reads that as text
	}
	back := func(r reply) bool { return r.failed == "" && strings.Contains(r.text, s.marks.plain) }
	found := map[string]*oddFinding{}
	apart := !back(r)
	if apart && (a.late[t.Name] > 0 || a.dead != nil || !back(a.call(ctx, t, t.sample(a.world, setting{p, s.plain})))) {
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the tool did not return the test content"})
		return
	}
	tried, unanswered := 2, s.large == ""
	for i, o := range s.marks.oddities() {
		if o.page && !s.page {
			continue
		}
		if apart {
			arguments = t.sample(a.world, setting{p, s.each[i]})
			r = a.call(ctx, t, arguments)
			tried++
			unanswered = unanswered || r.late || r.gone
		}
		if !strings.Contains(r.text, o.mark) {
			continue
		}
		kind := o.kind
		if !strings.Contains(r.text, o.tag) {
			kind = unhidden
		}
		if found[kind] == nil {
			found[kind] = &oddFinding{arguments: arguments}
		}
		found[kind].what = append(found[kind].what, o.what)
	}
	if unanswered = unanswered || a.late[t.Name] > 0; !unanswered {
		large := t.sample(a.world, setting{p, s.large})
		big := a.call(ctx, t, large)
		if unanswered = big.failed != "" && (!apart || big.late || big.gone); len(big.raw) > bounded {
			found[unbounded] = &oddFinding{[]string{"a text of 2 MB in full"}, large}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		f := found[kind]
		a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: kind,
			Why: "the tool passes on unchanged what it read", Proof: &audit.Proof{Arguments: string(written(f.arguments)), Seen: strings.Join(f.what, ", "), Probes: tried}})
	}
	switch {
	case unanswered:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Kind: unbounded, Why: "not every call was answered, of those with odd content and with a text of 2 MB, and the answers show nothing else that is odd"})
	case len(found) > 0:
	case apart:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: "plain content came back, and content with control and invisible characters, hidden parts or 2 MB did not"})
	default:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: "content with control and invisible characters, hidden parts and 2 MB came back without them"})
	}
}
