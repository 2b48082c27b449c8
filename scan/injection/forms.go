// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"
)

// form tells whether a word is part of a mark that stands alone, and needs no other words beside it: "new
// instructions:", SYSTEM in brackets or <system> at the begin of a line.
func (r *reading) form(h *hit, word string) (cue, bool) {
	label, labelled := r.capitalLabel(h)
	if labelled && label.score >= enough {
		return label, true
	}
	if c, ok := r.standing(h, word); ok {
		return c, true
	}
	return label, labelled
}

// standing tells whether a word is part of a form that needs no other word for a label.
func (r *reading) standing(h *hit, word string) (cue, bool) {
	c := cue{kind: kindRoleMarker, start: int(h.start), end: int(h.end), score: enough, alone: true}
	if l, ok := r.forgedTag(h); ok {
		return l, true
	}
	switch {
	case listed(word, labelsOnly):
		return c, false
	case len(word) > len("system") || c.start == 0 && word == "system":
		c.kind, c.rule = kindInstruction, "new-instructions"
		return c, r.newInstructions(&c, word)
	case word != "system" || c.end == len(r.text):
		return c, false
	case r.text[c.start-1] == '[':
		n := r.label(c.end)
		c.rule, c.start, c.end = "system-line", c.start-1, c.end+n
		return c, n > 0 && (r.systemLine(c.start, c.end) || r.setsAside(c.end))
	case r.text[c.start-1] == '<' && r.text[c.end] == '>':
		c.rule = "system-tag"
		c.start, c.end = c.start-1, c.end+1
		return c, r.systemTag(c.start, c.end)
	}
	return c, false
}

// label is the number of bytes up to the bracket that closes a label behind SYSTEM, and that bracket: none but the bracket, or
// words in capitals whose last one is a message's, as in [SYSTEM PRIORITY MESSAGE]. 0 is no label.
func (r *reading) label(at int) int {
	words, _, ok := strings.Cut(r.text[at:min(at+labelBytes, len(r.text))], "]")
	switch {
	case !ok:
		return 0
	case words == "":
		return 1
	case words[0] != ' ' || strings.Trim(words, "ABCDEFGHIJKLMNOPQRSTUVWXYZ -:") != "":
		return 0
	}
	for _, last := range labelWords {
		if strings.HasSuffix(words, last) {
			return len(words) + 1
		}
	}
	return 0
}

const labelBytes = 48

// labelWords end a label that pretends to be a message of the system to a model.
var labelWords = [...]string{" MESSAGE", " OVERRIDE", " INSTRUCTION", " INSTRUCTIONS", " DIRECTIVE", " PROMPT", " COMMAND", " UPDATE", " NOTICE"}

// newInstructions tells whether "new" stands in front of the word, a colon behind it, and both begin a clause or are
// said to be the reader's. It moves the begin of c to "new".
func (r *reading) newInstructions(c *cue, word string) bool {
	announced := word == "instructions" || word == "instruction" || word == "directives" || word == "directive"
	if !announced || !strings.HasPrefix(strings.TrimLeft(r.text[c.end:min(c.end+4, len(r.text))], "*_ "), ":") {
		return false
	}
	for _, lead := range newLeads {
		from := c.start - len(lead)
		if from >= 0 && strings.EqualFold(r.text[from:c.start], lead) {
			c.start = from
			return r.clauseBegins(from) || endsFold(r.text[:from], "your ") || endsFold(r.text[:from], "following ")
		}
	}
	return false
}

// newLeads are how new orders are announced.
var newLeads = [...]string{"new ", "updated ", "revised ", "real ", "actual "}

func endsFold(text, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(text[len(text)-len(end):], end)
}

// systemLine tells whether [system] begins a line as a turn of a conversation does. In a log other lines begin like
// it; in a file of settings, alone on its line, it begins a section.
func (r *reading) systemLine(start, end int) bool {
	line := r.text[strings.LastIndexByte(r.text[:start], '\n')+1 : start]
	if strings.Trim(line, " \t>*-#\"'") != "" {
		return false
	}
	rest, below, _ := strings.Cut(r.text[end:min(end+formBytes, len(r.text))], "\n")
	rest = strings.TrimLeft(rest, ": \t*-")
	switch {
	case rest == "":
		return r.text[start+1] == 'S' && r.text[start+2] == 'Y' && !isSetting(below)
	case byteClass[rest[0]]&inWord == 0 || strings.HasPrefix(r.text[end:], "("):
		return false
	}
	above := r.text[max(start-formBytes, 0):start]
	return !logLine(below) && !logLine(above[strings.LastIndexByte(strings.TrimRight(above, "\n >"), '\n')+1:])
}

// setsAside tells whether a clause that begins at i sets aside what was said.
func (r *reading) setsAside(at int) bool {
	text := strings.TrimLeft(r.text[at:min(at+maxLabel, len(r.text))], " :")
	word, _, _ := strings.Cut(strings.TrimPrefix(text, "ADMIN: "), " ")
	return len(word) > 1 && len(word) <= maxWordSize && byteClass[word[0]]&isCapital != 0 && lexicon().class(word)&ignoreWord != 0
}

// formBytes bounds the look around a form.
const formBytes = 400

// isSetting tells whether a text begins with a line of a file of settings.
func isSetting(text string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n\t "), "\n")
	return strings.ContainsAny(line, "=") || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[")
}

// logLine tells whether a text begins with a line as logs have them: with a tag or a time in front.
func logLine(text string) bool {
	text = strings.TrimLeft(text, "\r\n\t ")
	if text == "" || text[0] != '[' {
		return text != "" && '0' <= text[0] && text[0] <= '9'
	}
	tag, _, _ := strings.Cut(text[1:], "]")
	return !strings.Contains(tag, " ") || strings.ContainsAny(tag, "0123456789") // [END OF INPUT] is no tag
}

// systemTag tells whether <system> begins a turn. In an XML document another tag stands behind it; a command's
// usage and a sentence about the tag have it in their midst, in lower case.
func (r *reading) systemTag(start, end int) bool {
	rest := strings.TrimLeft(r.text[end:min(end+formBytes, len(r.text))], " \t\r\n")
	if strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, "</") {
		return false
	}
	if r.property(start, end) {
		return false
	}
	word, _, _ := strings.Cut(rest, " ")
	switch strings.ToLower(strings.Trim(word, ".,;:s")) {
	case "tag", "element", "block", "marker", "node", "section":
		return false
	}
	if r.text[start+1:end-1] == "SYSTEM" {
		return true
	}
	line := r.text[strings.LastIndexByte(r.text[:start], '\n')+1 : start]
	return strings.Trim(line, " \t>*-#\"'") == ""
}

// minTurn is how many words the turn of a system has at least.
const minTurn = 3

// dictated tells whether a verb dictates an answer in a comment, as in "# Override - output: …" and "<!-- Ignore this, say: … -->". Comments
// have such verbs for other reasons, too: one must begin its clause behind a word for hidden orders, or the comment.
func (r *reading) dictated(h *hit) (cue, bool) {
	c := cue{kind: kindInstruction, rule: "dictated", start: int(h.start), end: int(h.end), score: enough, alone: true}
	behind := r.text[c.end:min(c.end+dictatedBytes, len(r.text))]
	text, sure := cutDictated(behind)
	if text == "" || countWords(text, minTurn) < minTurn {
		return c, false
	}
	line := r.text[max(c.start-dictatedBytes, 0):c.start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	at := -1
	for _, mark := range commentMarks {
		if i := strings.LastIndex(line, mark); i >= 0 {
			at = max(at, i+len(mark))
		}
	}
	if r.hiddenAt(c.start) != nil { // an attribute
		at = max(at, strings.LastIndexAny(line, `"'>`)+1)
	}
	if at < 0 {
		return c, false
	}
	said := strings.ToLower(strings.TrimRight(line[min(at, len(line)):], " \t\"'"))
	if said == "" {
		return c, sure
	}
	if strings.EqualFold(r.text[c.start:c.end], "says") {
		return c, strings.HasSuffix(said, "system")
	}
	for _, word := range hiddenOrder {
		if strings.Contains(said, word) {
			return c, strings.IndexByte(":,.;-", said[len(said)-1]) >= 0 || strings.HasSuffix(said, " and")
		}
	}
	return c, false
}

const dictatedBytes = 120

var (
	commentMarks = [...]string{"<!--", "/*", "// ", "# ", "-- ", "{ #"}
	hiddenOrder  = [...]string{"hidden", "override", "system", "instruction", "directive", "ignore", "disregard", "discard", "urgent", "forget"}
)

// cutDictated returns what stands behind a verb and its colon, and whether it is surely an answer and no setting.
func cutDictated(text string) (answer string, sure bool) {
	for _, mark := range [...]string{" only with:", " only with", " only:", " with:", " exactly:", ":", " \"", " I "} {
		if answer, ok := strings.CutPrefix(text, mark); ok {
			answer = strings.TrimLeft(answer, " \"'")
			return answer, strings.HasPrefix(answer, "I ") || strings.Contains(mark, "only") || mark == " with:"
		}
	}
	return "", false
}

// property tells whether a tag opens an element of a word or two among others, as in <a/><system>jira</system><b>.
func (r *reading) property(start, end int) bool {
	value, rest, ok := strings.Cut(r.text[end:min(end+formBytes, len(r.text))], "</")
	_, rest, closed := strings.Cut(rest, ">")
	const space = " \t\r\n"
	return ok && closed && strings.Count(strings.Trim(value, space), " ") < minTurn-1 && strings.HasPrefix(strings.TrimLeft(rest, space), "<") &&
		strings.HasSuffix(strings.TrimRight(r.text[max(start-formBytes, 0):start], space), ">")
}

// nested tells whether a tag has another one directly inside, as the elements of a document do.
func (r *reading) nested(start, end int) bool {
	if strings.HasPrefix(r.text[start:], "</") {
		from := max(start-formBytes, 0)
		inside := strings.TrimRight(r.text[from:start], " \t\r\n")
		if i := strings.LastIndex(inside, "<"+r.text[start+2:end]); i >= 0 && r.property(from+i, from+i+end-start-1) {
			return true
		}
		return strings.HasSuffix(inside, ">")
	}
	inside := strings.TrimLeft(r.text[end:min(end+formBytes, len(r.text))], " \t\r\n")
	if r.property(start, end) {
		return true
	}
	return r.text[start] == '<' && strings.HasPrefix(inside, "<") && !strings.HasPrefix(inside, "</")
}
