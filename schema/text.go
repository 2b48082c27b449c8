// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text from outside a message repeats, in runes or entries.
const (
	maxPrintedName    = 64
	maxPrintedValue   = 80
	maxPrintedPattern = 160
	maxPrintedPointer = 200
	maxPrintedFault   = 300
	maxPrintedDigits  = 25
	maxPointerName    = 256 // bytes
	maxListed         = 20
)

// printable returns at most limit runes of s, with everything escaped that
// does not print, such as control, bidirectional and tag characters.
func printable(s string, limit int) string {
	var b strings.Builder
	for i, r := range s {
		if limit--; limit < 0 {
			b.WriteString("…")
			break
		}
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// quote returns a name in quotes.
func quote(name string) string {
	return `"` + strings.ReplaceAll(printable(name, maxPrintedName), `"`, `\"`) + `"`
}

// shown returns a value from the schema as JSON, bounded and printable.
func shown(v any) string {
	if s, ok := v.(string); ok {
		return `"` + strings.ReplaceAll(printable(s, maxPrintedValue), `"`, `\"`) + `"`
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	return printable(string(text), maxPrintedValue)
}

// cut returns at most limit bytes of s, whole runes.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// listed joins at most limit texts, and says how many are left out.
func listed(texts []string, limit int, last string) string {
	if len(texts) > limit {
		return strings.Join(texts[:limit], ", ") + fmt.Sprintf(" %s %d more", last, len(texts)-limit)
	}
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " " + last + " " + texts[len(texts)-1]
}

// quoted quotes each name.
func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quote(name)
	}
	return out
}

func sortedNames(obj map[string]any) []string { return slices.Sorted(maps.Keys(obj)) }

// counted returns "1 item" or "2 items".
func counted(n int, noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && n != 1 {
		return fmt.Sprintf("%d %sies", n, stem)
	} else if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
