// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import "strings"

// markdown reports suspicious links and images, and returns what a rendered page would not
// show: titles of links, and the definitions that people use as comments.
func (s *scanner) markdown(v *view) []hiddenSpan {
	var hidden []hiddenSpan
	for at := 0; !s.over(); {
		i := strings.Index(v.text[at:], "](")
		if i < 0 {
			break
		}
		open := at + i
		l := parseLink(v.text, open+2)
		s.steps += l.end - open
		if l.title.end > l.title.start && countWords(v.text[l.title.start:l.title.end], minAttribute) >= minAttribute {
			hidden = append(hidden, hiddenSpan{l.title, kindHiddenHTML, "link-title"})
		}
		if alt := altText(v.text, open); countWords(v.text[alt.start:alt.end], minAttribute) >= minAttribute {
			hidden = append(hidden, hiddenSpan{alt, kindHiddenHTML, "alt-text"})
		}
		s.link(v, open, l)
		at = l.end
	}
	return append(hidden, s.definitions(v)...)
}

// altText is the text of an image that ends at open, which a page shows if it lacks the image.
func altText(text string, open int) span {
	for i := open - 1; i > max(open-maxAlt, 0) && text[i] != ']'; i-- {
		if text[i] == '[' && text[i-1] == '!' {
			return span{i + 1, open}
		}
	}
	return span{open, open}
}

// A link is the destination and the title of a link or an image of Markdown.
type link struct {
	url   string
	title span
	end   int
}

// Bounds of what is read of a link.
const (
	maxURL   = 4096
	maxTitle = 2048
	maxAlt   = 1024
)

// parseLink reads the destination at i and, if there is one, the title.
func parseLink(text string, i int) link {
	j := i
	for j < len(text) && j-i < maxURL && text[j] > ' ' && text[j] != ')' {
		j++
	}
	l := link{url: strings.Trim(text[i:j], "<>"), end: j}
	for j < len(text) && text[j] == ' ' {
		j++
	}
	if j < len(text) && (text[j] == '"' || text[j] == '\'' || text[j] == '(') {
		mark := text[j]
		if mark == '(' {
			mark = ')'
		}
		if n := strings.IndexByte(text[j+1:min(len(text), j+1+maxTitle)], mark); n >= 0 {
			l.title = span{j + 1, j + 1 + n}
			l.end = l.title.end
		}
	}
	return l
}

// link judges the link whose text ends at open.
func (s *scanner) link(v *view, open int, l link) {
	from := max(open-maxAlt, 0)
	label := v.text[from:open]
	image := false
	s.steps += len(label)
	if i := openBracket(label); i >= 0 {
		from += i
		if image = from > 0 && v.text[from-1] == '!'; image {
			from--
		}
		label = label[i+1:]
	} else {
		from = max(open-200, 0)
		label = v.text[from:open]
	}
	start, end := v.original(from, l.end, len(s.text))
	s.checkURL(l.url, start, end, image)
	if script, ok := strings.CutPrefix(strings.ToLower(l.url), "javascript:"); ok && (runs(script, steals) || runs(script, acts)) {
		s.report(kindLinkURL, "script-url", start, end, enough)
	}
	if !image && leadsElsewhere(label, l.url) {
		s.report(kindLinkURL, "other-host", start, end, enough)
	}
}

// openBracket returns the offset of the last bracket in text that is not closed, or -1: a link around an image has another pair in its own.
func openBracket(text string) int {
	closed := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ']':
			closed++
		case '[':
			if closed == 0 {
				return i
			}
			closed--
		}
	}
	return -1
}

// definitions returns the titles of link definitions: [//]: # (…).
func (s *scanner) definitions(v *view) []hiddenSpan {
	var hidden []hiddenSpan
	for at := 0; !s.over(); {
		i := strings.Index(v.text[at:], "]: ")
		if i < 0 {
			break
		}
		open := at + i
		at = open + 3
		line := strings.LastIndexByte(v.text[max(open-100, 0):open], '\n')
		if before := v.text[max(open-100, 0):open][line+1:]; !strings.HasPrefix(strings.TrimLeft(before, " "), "[") {
			continue
		}
		l := parseLink(v.text, at)
		s.steps += l.end - open
		at = l.end
		if l.title.end > l.title.start {
			hidden = append(hidden, hiddenSpan{l.title, kindHiddenHTML, "definition"})
		}
	}
	return hidden
}
