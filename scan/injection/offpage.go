// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import "strings"

// What pushes text off a page: a reader does not scroll that far, and a model does not scroll.
const (
	farRight = "                                                            " // 60 spaces
	farDown  = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
)

// offPage returns text that stands far to the right or far down of what a reader sees, and text that LaTeX sets in white.
func (s *scanner) offPage(v *view) []hiddenSpan {
	var hidden []hiddenSpan
	s.steps += 3 * len(v.text)
	for at := 0; !s.over(); {
		i := strings.Index(v.text[at:], farRight)
		if i < 0 {
			break
		}
		at += i + len(farRight)
		start := at
		for at < len(v.text) && v.text[at] == ' ' {
			at++
		}
		end := at + lineEnd(v.text[at:min(len(v.text), at+maxAddress)])
		if n := strings.Index(v.text[at:end], farRight); n >= 0 {
			end = at + n
		}
		if start > len(farRight) && countWords(v.text[at:end], minAttribute) >= minAttribute {
			hidden = append(hidden, hiddenSpan{span{at, end}, kindHiddenHTML, "far-right"})
		}
		at = max(at, end)
	}
	for at := 0; !s.over(); {
		i := strings.Index(v.text[at:], farDown)
		if i < 0 {
			break
		}
		first := at + i
		at = first + len(farDown)
		for at < len(v.text) && v.text[at] == '\n' {
			at++
		}
		end := min(len(v.text), at+maxAddress)
		if n := strings.Index(v.text[at:end], "\n\n\n"); n >= 0 {
			end = at + n
		}
		if first > 0 && countWords(v.text[at:end], minAttribute) >= minAttribute {
			hidden = append(hidden, hiddenSpan{span{at, end}, kindHiddenHTML, "far-down"})
		}
		at = max(at, end)
	}
	for _, white := range [...]string{"color{white}", "\\phantom{", "color[rgb]{1,1,1}"} {
		for at := 0; !s.over(); {
			i := strings.Index(v.text[at:], white)
			if i < 0 {
				break
			}
			at += i + len(white)
			end := at + lineEnd(v.text[at:min(len(v.text), at+maxAddress)])
			hidden = append(hidden, hiddenSpan{span{at, end}, kindHiddenHTML, "white-text"})
			at = end
		}
	}
	return hidden
}

// lineEnd is where the first line of a text ends.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}
