// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/class"
)

// Text writes a report for a person at a terminal: the grade, the advice, and the gaps. The error
// is that of w.
func Text(w io.Writer, r *audit.Report) error {
	b := bufio.NewWriter(w)
	head(b, r)
	for _, p := range r.Grade.Points {
		fmt.Fprintf(b, "  %+4d  %s: %s\n", p.Points, p.Class, p.Why)
	}
	for _, c := range r.Grade.Bounds() {
		fmt.Fprintf(b, "  at most %s: %s\n", c.Letter, c.Why)
	}
	fixed := map[string]bool{}
	for _, alike := range alikes(r.Weaknesses) {
		textWeakness(b, alike, fixed)
	}
	if len(r.Weaknesses) > 0 {
		fmt.Fprintf(b, "\n'toolvet explain KIND' says what a kind means, and how to mend it in each language.\n")
	}
	textGuards(b, r)
	textUnassessed(b, r)
	if len(r.Notes) > 0 {
		fmt.Fprintf(b, "\nNotes\n")
		for _, n := range r.Notes {
			fmt.Fprintf(b, "  %s\n", n)
		}
	}
	return b.Flush()
}

// head writes the summary, and what the grade does not cover.
func head(w io.Writer, r *audit.Report) {
	fmt.Fprintf(w, "%s: %s\n", r.Target.Name, r.Summary())
	for _, p := range r.Purposes() {
		fmt.Fprintf(w, "  %s.\n", p)
	}
}

// textWeakness writes weaknesses that are alike: the first in full, the others by name. fixed are the fixes that were printed before.
func textWeakness(b *bufio.Writer, alike []*audit.Weakness, fixed map[string]bool) {
	f := alike[0]
	fmt.Fprintf(b, "\n%s (%s)  %s  [%s]\n  %s\n", f.Severity, sure(f), f.Name(), f.ID, sentence(f.Why))
	if names := f.KindNames(); len(names) > 0 {
		fmt.Fprintf(b, "  kind:   %s\n", strings.Join(names, ", "))
	}
	tried := ""
	for _, e := range f.Evidence {
		if e.Why != f.Why {
			fmt.Fprintf(b, "  also:   %s\n", sentence(e.Why))
			tried = ""
		}
		if e.Proof != nil {
			if e.Proof.Arguments != tried {
				tried = e.Proof.Arguments
				fmt.Fprintf(b, "  tried:  %s\n", tried)
			}
			fmt.Fprintf(b, "  seen:   %s\n", e.Proof.Seen)
		}
		for _, p := range e.Flow {
			fmt.Fprintf(b, "  code:   %s  %s\n", p, p.Note)
		}
	}
	for _, other := range alike[1:] {
		fmt.Fprintf(b, "  same:   %s  [%s]\n", short(other.Cell), other.ID)
	}
	switch {
	case f.Suppressed != nil:
		fmt.Fprintf(b, "  suppressed until %s: %s\n", f.Suppressed.Expires, f.Suppressed.Reason)
	case fixed[f.Fix]:
		fmt.Fprintf(b, "  fix:    as above, for %s\n", f.Class)
	default:
		fmt.Fprintf(b, "  fix:    %s\n", f.Fix)
		fixed[f.Fix] = true
	}
}

// sure is the confidence in a weakness, in a word or two.
func sure(f *audit.Weakness) string {
	switch {
	case f.Severity == class.Info:
		return "a remark"
	case f.Both && f.Confidence == audit.Proven:
		return "proven, and in the code"
	}
	return string(f.Confidence)
}

// sentence begins with a capital letter, and ends with a full stop.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}

func textGuards(b *bufio.Writer, r *audit.Report) {
	proven, read := r.Guards()
	textCells(b, "Guards that were proven", proven, func(a *audit.Assessment) string { return a.Why })
	textCells(b, "Guards that were read in the code, and not tried", read, func(a *audit.Assessment) string { return a.Why })
}

func textUnassessed(b *bufio.Writer, r *audit.Report) {
	list := r.Unassessed()
	textCells(b, fmt.Sprintf("Not known (%d)", len(list)), list, func(a *audit.Assessment) string { return string(a.Verdict) + ": " + strings.TrimSpace(a.Why) })
}

// Comparison writes the result of two audits of one server: both grades, what remains, what changed, and then the second report. The error is that
// of w.
func Comparison(w io.Writer, c *audit.Comparison) error {
	b := bufio.NewWriter(w)
	head(b, c.Before)
	head(b, c.After)
	o := c.Outcome
	var open strings.Builder
	beyond := 0
	for i := range c.After.Weaknesses {
		f := &c.After.Weaknesses[i]
		if !f.Graded() {
			continue
		}
		if f.Beyond() != nil {
			beyond++
		}
		fmt.Fprintf(&open, "  open: %s: %s%s\n", f.Name(), strings.Join(f.Kinds, ", "), whyOpen(f))
	}
	left := ""
	if beyond > 0 {
		left = fmt.Sprintf(" (no policy can close %d of those below: only the server can)", beyond)
	}
	fmt.Fprintf(b, "\n%s: %d guarded now, %d not seen again, %d not known any more, %d remain; %d new%s\n%s",
		thatCount(o.Weaknesses), o.Guarded, o.NotSeen, o.Unknown, o.Remain, o.New, left, open.String())
	if o.Unknown > 0 {
		fmt.Fprintf(b, "Not known any more: no harmless call or content came back, so no attack could be tried. Perhaps the policy refuses the call, or withholds its result.\n")
	}
	h := c.Harmless
	fmt.Fprintf(b, "Harmless calls: they worked in %s, and still work in %d\n", places(h.Calls), h.Work)
	switch {
	case h.Calls == 0:
		fmt.Fprintf(b, "The audit knows no harmless call of these tools, with the proxy or without it: nothing shows that they do their work there, and so the second grade is no pass\n")
	case h.Work == 0:
		fmt.Fprintf(b, "No harmless call works behind the proxy: nothing shows that the tools still do their work there, and so the second grade is no pass\n")
	}
	for _, lost := range h.Lost {
		fmt.Fprintf(b, "  no more: %s\n", lost.Cell)
		for _, why := range lost.Why {
			fmt.Fprintf(b, "    %s\n", why)
		}
		for _, change := range lost.Change {
			fmt.Fprintf(b, "    to let it pass: %s\n", change)
		}
	}
	fmt.Fprintf(b, "\nWhat changed (%d)\n", len(c.Changed))
	for _, one := range c.Changed {
		why := ""
		if one.Why != "" {
			why = ": " + one.Why
		}
		changed := known(one.Before)
		if one.After != one.Before {
			changed += " → " + known(one.After)
		}
		fmt.Fprintf(b, "  %s: %s%s\n", one.Cell, changed, why)
	}
	fmt.Fprintf(b, "\nThe second report (--json has both)\n\n")
	if err := b.Flush(); err != nil {
		return err
	}
	return Text(w, c.After)
}

// whyOpen says, in brackets, why no policy closes a weakness; "": one can.
func whyOpen(f *audit.Weakness) string {
	why := f.Beyond()
	if why == nil {
		return ""
	}
	var list []string
	for _, kind := range f.Kinds {
		list = append(list, why[kind])
	}
	return " (" + strings.Join(list, "; ") + ")"
}

func thatCount(n int) string {
	if n == 1 {
		return "1 weakness that counts"
	}
	return fmt.Sprintf("%d weaknesses that count", n)
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func known(v audit.Verdict) string {
	if v == "" {
		return "nothing seen"
	}
	return string(v)
}
