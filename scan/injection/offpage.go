// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import "strings"

// Runs of spaces or new lines push text off a page: a reader does not scroll that far, and a model does not scroll.
const (
	farRight = 60 // spaces
	farDown  = 20 // new lines
)

// offPage returns text that stands far to the right or far down of what a reader sees, and text that LaTeX sets in white.
func (s *scanner) offPage(v *view) []hiddenSpan {
	hidden := s.behind(v.text, ' ', farRight, "far-right")
	hidden = append(hidden, s.behind(v.text, '\n', farDown, "far-down")...)
	if !strings.Contains(v.text, "\\") {
		return hidden
	}
	s.steps += 3 * len(v.text)
	for _, white := range [...]string{"\\color{white}", "\\textcolor{white}", "\\phantom{"} {
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

// behind returns what stands behind runs of a character, n at least, up to another such run or the end of the paragraph or line.
func (s *scanner) behind(text string, c byte, n int, rule string) []hiddenSpan {
	var hidden []hiddenSpan
	s.steps += len(text) / 8
	for at := 0; !s.over(); {
		run := findRun(text, at, c, n)
		if run.end == 0 {
			break
		}
		at = run.end
		end := min(len(text), at+maxAddress)
		if c == '\n' {
			if i := strings.Index(text[at:end], "\n\n\n"); i >= 0 {
				end = at + i
			}
		} else {
			end = at + lineEnd(text[at:end])
			if next := findRun(text[:end], at, c, n); next.end > 0 {
				end = next.start
			}
		}
		s.steps += end - at
		if run.start > 0 && countWords(text[at:end], minAttribute) >= minAttribute {
			hidden = append(hidden, hiddenSpan{span{at, end}, kindHiddenHTML, rule})
		}
		at = end
	}
	return hidden
}

// findRun returns the first run of n or more of a character at or behind at, or an empty one. It looks at few bytes of a text without one.
func findRun(text string, at int, c byte, n int) span {
	for i := at + n/2 - 1; i < len(text); i += n / 2 {
		if text[i] != c {
			continue
		}
		run := span{i, i + 1}
		for run.start > at && text[run.start-1] == c {
			run.start--
		}
		for run.end < len(text) && text[run.end] == c {
			run.end++
		}
		if run.end-run.start >= n {
			return run
		}
		i = run.end
	}
	return span{}
}

// lineEnd is where the first line of a text ends.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}
