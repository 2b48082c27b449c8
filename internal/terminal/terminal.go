// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package terminal keeps text of calls, servers and files from acting on a terminal. A [Writer]
// stands before standard output and standard error. [Fprintf] also keeps what it formats on its
// line. Systems that run jobs (CI) read the output, too, so no text gives them a command.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// acts reports whether a character may change what a terminal shows, beyond showing itself: a
// control, a format character (bidirectional or invisible), or a separator of lines.
func acts(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// A Writer writes text with every such character as \uXXXX, except for line feeds and tabs, and
// with U+FFFD for bytes that are not UTF-8. Inside a JSON string, the only place in a JSON text for
// such a character, \uXXXX means the same as the character. A Writer is safe for concurrent use.
//
// It also escapes a character of each command to a CI system: "::error::" at the beginning of a line
// (GitHub), "##[error]" and "##vso[task]" anywhere (GitHub, Azure).
type Writer struct {
	mu      sync.Mutex
	w       io.Writer
	partial []byte // the beginning of a character whose rest has not been written yet
	colon   bool   // the line has spaces and one colon
	within  bool   // the line has anything else
	hashes  int    // number signs at the end of the line
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes p. It returns the length of p, or 0 and an error.
func (t *Writer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := p
	if len(t.partial) > 0 {
		text = append(t.partial, p...)
		t.partial = nil
	}
	if end := len(text) - unfinished(text); end < len(text) {
		t.partial = bytes.Clone(text[end:])
		text = text[:end]
	}
	if len(text) == 0 {
		return len(p), nil
	}
	if _, err := t.w.Write(t.defused(escape(text, "\n\t"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// defused returns text without commands to a CI system. It returns text itself if there are none.
func (t *Writer) defused(text []byte) []byte {
	var out []byte
	kept := 0 // bytes of text that are in out
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		if t.colon && r == ':' || t.hashes >= 2 && (r == '[' || letter) {
			out = fmt.Appendf(append(out, text[kept:i]...), `\u%04x`, r)
			kept = i + size
		}
		t.within = r != '\n' && (t.within || t.colon || r != ':' && !unicode.IsSpace(r))
		t.colon = r == ':' && !t.within
		if t.hashes++; r != '#' {
			t.hashes = 0
		}
		i += size
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// unfinished returns the length of a character at the end of text that goes on in the next write.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// escape escapes text, except for the characters in keep. It returns text itself if nothing in it acts.
func escape(text []byte, keep string) []byte {
	at := bytes.IndexFunc(text, func(r rune) bool {
		return r == utf8.RuneError || r != ' ' && (r < ' ' || r > '~') && acts(r) && !strings.ContainsRune(keep, r)
	})
	if at < 0 {
		return text
	}
	out := bytes.Clone(text[:at])
	for text = text[at:]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch high, low := utf16.EncodeRune(r); {
		case !acts(r) || strings.ContainsRune(keep, r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Line returns s on one line: it escapes line feeds and tabs, too.
func Line(s string) string {
	out := string(escape([]byte(s), "\n\t"))
	return lineEscaper.Replace(out)
}

var lineEscaper = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// A Text is an argument of [Fprintf] with line feeds and tabs that count.
type Text string

// Fprintf is fmt.Fprintf, but strings, errors and Stringers among the arguments stay on one line.
// Format keeps its line feeds.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	safe := make([]any, len(args))
	for i, a := range args {
		safe[i] = a
		switch a.(type) {
		case Text:
		case string, error, fmt.Stringer, []string:
			safe[i] = argument{a}
		default:
			if reflect.ValueOf(a).Kind() == reflect.String {
				safe[i] = argument{a}
			}
		}
	}
	return fmt.Fprintf(w, format, safe...)
}

// An argument formats as its value does, on one line.
type argument struct{ value any }

// Format implements fmt.Formatter.
func (a argument) Format(s fmt.State, verb rune) {
	text := fmt.Sprintf(fmt.FormatString(s, verb), a.value)
	if verb != 'q' { // which quotes every such character already
		text = Line(text)
	}
	_, _ = io.WriteString(s, text)
}
