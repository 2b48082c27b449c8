// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// roleMarker tells whether a word is part of a mark with which conversations with models
// are written down: <|im_start|>, </tool_result>, "### Instruction:", "Human:".
func (r *reading) roleMarker(h *hit) (cue, bool) {
	word := strings.ToLower(r.text[h.start:h.end])
	before, after := r.text[:h.start], r.text[h.end:]
	if c, ok := r.form(h, word); ok {
		return c, true
	}
	c := cue{kind: kindRoleMarker, start: int(h.start), end: int(h.end)}
	if listed(word, labelsOnly) {
		return c, false
	}
	for _, m := range roleFrames {
		if score := m.words[word]; score > 0 && strings.HasSuffix(before, m.before) && strings.HasPrefix(after, m.after) {
			c.rule, c.score = m.rule, score
			c.start -= len(m.before)
			c.end += len(m.after)
			return c, word != "system" || !r.nested(c.start, c.end)
		}
	}
	if score := headings[word]; score > 0 && r.headingAt(int(h.start)) && strings.HasPrefix(after, ":") {
		c.rule, c.score = "prompt-heading-"+word, score
		return c, true
	}
	if word == "system_message" && strings.HasSuffix(strings.TrimRight(before, "( "), "#") {
		c.rule, c.score = "system-message", 60
		return c, true
	}
	if score := turns[word]; score > 0 && strings.HasPrefix(after, ":") && r.text[h.start] <= 'Z' && r.turnBegins(int(h.start)) {
		c.rule, c.score = "turn-"+word, score
		if word == "assistant" && r.consents(h) {
			c.rule, c.score = "forged-answer", 55
		}
		return c, true
	}
	if (word == "important" || word == "information") && strings.ToUpper(word) == r.text[h.start:h.end] {
		if strings.HasSuffix(before, "<") && strings.HasPrefix(after, ">") {
			c.rule, c.score = "shouting-tag", 40
			return c, true
		}
	}
	return c, false
}

// consents tells whether the word behind a turn of the assistant is one of consent.
func (r *reading) consents(h *hit) bool {
	i, _ := slices.BinarySearchFunc(r.hits, h.end, func(h hit, end int32) int { return int(h.start - end) })
	return i < len(r.hits) && r.hits[i].word-h.word <= 2 && r.hits[i].class&consentWord != 0
}

// mentioned tells whether a marker stands in the middle of a sentence, as one that speaks
// of it does.
func (r *reading) mentioned(start, end int) bool {
	before := start >= 2 && r.text[start-1] == ' ' && byteClass[r.text[start-2]]&inWord != 0
	return before && (end == len(r.text) || strings.IndexByte(" ,.;:)", r.text[end]) >= 0)
}

// A roleFrame is what stands around the words of a mark.
type roleFrame struct {
	rule, before, after string
	words               map[string]int // their scores
}

var (
	templateWords = map[string]int{
		"im_start": 60, "im_end": 50, "system": 50, "user": 40, "assistant": 50, "endoftext": 30, "start_header_id": 60,
		"end_header_id": 50, "eot_id": 50, "begin_of_text": 50,
	}
	resultWords = map[string]int{
		"tool_result": 40, "tool_results": 40, "function_results": 50, "tool_response": 40, "function_calls": 40,
		"system_prompt": 30, "system_message": 40, "start_of_turn": 50, "end_of_turn": 50,
		"system": 25, "assistant": 25, "human": 20, "user": 12,
	}
	closingWords = map[string]int{
		"tool_result": 55, "tool_results": 55, "function_results": 55, "tool_response": 50, "tool_call": 40, "function_calls": 40,
		"system_prompt": 35, "system": 25, "assistant": 25, "human": 20, "user": 12,
	}
	roleFrames = []roleFrame{
		{"chat-template", "<|", "|>", templateWords},
		{"inst-marker", "[", "]", map[string]int{"inst": 60, "system": 25, "admin": 20}},
		{"inst-marker", "[/", "]", map[string]int{"inst": 60, "system": 25}},
		{"system-override", "[", " OVERRIDE]", map[string]int{"system": 60, "developer": 60, "admin": 60}},
		{"system-override", "[", " OVERRIDE:", map[string]int{"system": 60, "developer": 60, "admin": 60}},
		{"system-note", "[", " NOTE:", map[string]int{"system": 30}},
		{"sys-marker", "<<", ">>", map[string]int{"sys": 60}},
		{"sys-marker", "<</", ">>", map[string]int{"sys": 60}},
		{"result-closed", "</", ">", closingWords},
		{"turn-tag", "<", ">", resultWords},
	}
	headings = map[string]int{"instruction": 35, "response": 30, "system": 30, "human": 30, "assistant": 30, "user": 15}
	turns    = map[string]int{"human": 28, "assistant": 28, "system": 22, "user": 10}
)

// headingAt tells whether "###" stands in front of i.
func (r *reading) headingAt(i int) bool {
	return strings.HasSuffix(strings.TrimRight(r.text[max(i-8, 0):i], " "), "###")
}

// turnBegins tells whether i is where a turn of a conversation would begin: at the begin of
// a line or of a quotation, behind no more than the signs of a comment or a list.
func (r *reading) turnBegins(i int) bool {
	for j := i - 1; j >= 0 && i-j < 8; j-- {
		switch c := r.text[j]; {
		case c == '\n', c == '"', c == '\'', c == '>', c == '(', c == ']':
			return true
		case c == 'n' && j > 0 && r.text[j-1] == '\\':
			return true
		case byteClass[c]&inWord != 0, c == '.', c == '-', c == '|', c == '`':
			return false
		}
	}
	return true
}

// bannered tells whether a word begins a line, but for a row of signs of the sort that
// sets an announcement off: "=====", "!!!", "<><>". Headings, lists and bold text do not.
func (r *reading) bannered(i int) bool {
	if i > 0 && (r.text[i-1] == '<' || r.text[i-1] == '/') {
		return false // a tag
	}
	signs := 0
	for j := i - 1; j >= 0 && r.text[j] != '\n'; j-- {
		switch c := r.text[j]; {
		case c == ' ' || c == '\t':
		case strings.IndexByte("+-=*~#|:^!$%@?<>/\\_", c) < 0 && c < utf8.RuneSelf:
			return false
		default:
			signs++
		}
		if i-j > maxBanner {
			return false
		}
	}
	line := r.text[max(i-maxBanner, 0):i]
	line = strings.TrimLeft(line[strings.LastIndexByte(line, '\n')+1:], "\t ")
	return signs >= minBanner || signs >= 2 && strings.ContainsAny(line, "!<=$%@") && !strings.HasPrefix(line, ">")
}

// Bounds of a row of signs in front of an announcement.
const (
	minBanner = 8
	maxBanner = 60
)
