// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// WriteDiff writes changes for people: each place that differs as a unified diff. Texts
// are quoted as JSON, a sentence a line, with escapes for what cannot be seen.
func WriteDiff(w io.Writer, changes []*Change) error {
	b := bufio.NewWriter(w)
	for i, c := range changes {
		if i > 0 {
			fmt.Fprintln(b)
		}
		c.write(b)
	}
	return b.Flush()
}

func (c *Change) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", c.Title(), c.headline())
	if c.Kind != Removed {
		for _, f := range c.Fields {
			f.write(w)
		}
	}
	for _, p := range c.Unseen {
		fmt.Fprintf(w, "cannot be seen in %s: %s\n", where(p.Pointer), strings.Join(p.Characters, ", "))
	}
}

// Title names what has changed, for people: the name of a tool, or the name or URI of another entry after
// its noun.
func (c *Change) Title() string {
	if c.List == "" {
		return Visible(c.Tool)
	}
	return nouns[c.Method()] + " " + Visible(c.Tool)
}

func (c *Change) headline() string {
	switch c.Kind {
	case Added:
		return "added: the lock does not have it"
	case Removed:
		return "removed: the server does not list it any more"
	case Unusable:
		return "unusable: " + c.Why // ours
	}
	return c.Kind.String()
}

func (f *FieldChange) write(w io.Writer) {
	text := diff.Diff(where(f.Pointer)+" (locked)", lines(f.before), where(f.Pointer)+" (listed)", lines(f.after))
	_, text, _ = bytes.Cut(text, []byte("\n")) // the line "diff … …"
	w.Write(text)
	if len(f.Unfamiliar) > 0 {
		fmt.Fprintf(w, "characters that were not there: %s\n", strings.Join(f.Unfamiliar, ", "))
	}
}

func where(pointer string) string {
	if pointer == "" {
		return "the definition"
	}
	return Visible(pointer)
}

// lines are a value as a diff compares it.
func lines(v any) []byte {
	s, ok := v.(string)
	switch {
	case v == absent{}:
		return nil
	case !ok:
		return shown(v, 0)
	}
	var b []byte
	for _, part := range sentences(s) {
		b = fmt.Appendf(b, "\"%s\"\n", Visible(part))
	}
	return b
}

// sentences cuts a text after line breaks and sentences, so that a diff shows an addition to a
// long line as an addition. An empty text is one empty sentence.
func sentences(s string) []string {
	var parts []string
	start := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\n' || s[i] == ' ' && i > start && strings.IndexByte(".!?:;", s[i-1]) >= 0 {
			parts, start = append(parts, s[start:i+1]), i+1
		}
	}
	return append(parts, s[start:])
}
