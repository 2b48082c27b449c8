// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import "strings"

// Words of a label in capitals that pretends to come from whoever directs the model. One of the first and one of the others make a label.
const (
	labelSpeakers = "SYSTEM ADMIN ADMINISTRATOR DEVELOPER ROOT AI LLM ASSISTANT AGENT MODEL HIDDEN SECRET OPERATOR CLAUDE CHATGPT GPT COPILOT PROMPT MAINTENANCE"
	labelFrames   = "INPUT PROMPT MESSAGE INSTRUCTIONS INSTRUCTION CONTEXT QUERY TURN CONVERSATION OUTPUT RESULT RESULTS DOCUMENT CONTENT OVERRIDE DIRECTIVE DATA"
	labelSubjects = "USER SYSTEM TOOL ASSISTANT UNTRUSTED TRUSTED ADMIN RETRIEVED EXTERNAL DEVELOPER"
	// labelEdges are what such a label says where a text pretends to end or begin: [END OF USER INPUT].
	labelEdges = "BEGIN END START STOP"
)

// labelOrders are words of orders in labels, with their scores.
var labelOrders = [...]struct {
	score int
	words string
}{
	{50, "OVERRIDE INSTRUCTION DIRECTIVE DIRECTIVES"},
	{45, "INSTRUCTIONS"},
	{35, "COMMAND"},
	{30, "MESSAGE NOTICE REMINDER"},
	{25, "REQUEST POLICY PROMPT UPDATE NOTE ALERT TASK"},
	{20, "INJECTION"},
}

// labelsOnly are the words of the lexicon that stand for a role in labels and tags alone.
const labelsOnly = "override hidden critical secret priority"

// maxLabel bounds a label, in bytes to either side of one of its words.
const maxLabel = 48

// capitalLabel tells whether a word is the first of those a role has in a label in capitals that begins a line, or stands in
// brackets, and ends with a colon or a bracket.
func (r *reading) capitalLabel(h *hit) (cue, bool) {
	start, end := int(h.start), int(h.end)
	c := cue{kind: kindRoleMarker, rule: "label", start: start, end: end}
	if end-start < 2 || byteClass[r.text[start]]&isCapital == 0 {
		return c, false
	}
	letters := byte(isCapital)
	shouted := byteClass[r.text[start+1]]&isCapital != 0
	if !shouted {
		letters = isLetter
	}
	isLabel := func(b byte) bool { return byteClass[b]&letters != 0 || b == ' ' || b == '-' || b == '_' }
	for start > 0 && int(h.start)-start < maxLabel && isLabel(r.text[start-1]) {
		start--
	}
	for end < len(r.text) && end-int(h.end) < maxLabel && isLabel(r.text[end]) {
		end++
	}
	r.steps += end - start
	if !r.labelBegins(start) || end == len(r.text) || !strings.Contains(":]>*=}|", r.text[end:end+1]) && !strings.HasSuffix(r.text[start:end], "---") {
		return c, false
	}
	words := strings.FieldsFunc(strings.ToUpper(r.text[start:end]), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	if len(words) < 2 || len(words) > 6 {
		return c, false
	}
	c.start, c.end = start, end
	speaker, edge, frame, subject := false, false, false, false
	for i, w := range words {
		for _, o := range labelOrders {
			if o.score > c.score && listed(w, o.words) {
				c.score = o.score
			}
		}
		speaker = speaker || listed(w, labelSpeakers) && (i+1 < len(words) || w != "PROMPT")
		edge, frame, subject = edge || listed(w, labelEdges), frame || listed(w, labelFrames), subject || listed(w, labelSubjects)
	}
	switch {
	case edge && frame && subject:
		c.rule, c.score = "forged-frame", 45
	case !speaker || c.score == 0:
		return c, false
	case !shouted: // documents have such words in front of a colon, too
		sure := c.score >= 45
		c.score = enough
		return c, sure && words[0] == "SYSTEM" && r.ordersFollow(end, sure)
	case c.score < enough && r.ordersFollow(end, false):
		c.score = enough
	}
	return c, true
}

// labelBegins tells whether a label may begin at i: a line does, or a bracket, but for signs that set it off.
func (r *reading) labelBegins(i int) bool {
	before := strings.TrimRight(r.text[max(i-16, 0):i], " \t*#=-_~>!|/<([{\"'`:")
	return before == "" || before[len(before)-1] == '\n' || i > 0 && strings.IndexByte("[<{(", r.text[i-1]) >= 0
}

// ordersFollow tells whether the clause behind a label is an order. Behind a sure label, any order will do.
func (r *reading) ordersFollow(at int, sure bool) bool {
	text := r.text[at:min(at+formBytes, len(r.text))]
	if i := strings.Index(text, "\n\n"); i > 8 {
		text = text[:i]
	}
	r.steps += 2 * len(text)
	a := address{words: splitAddress(text)}
	for i := range a.words {
		a.at(i)
	}
	return a.order > 0 && (sure || a.score() >= 35 || a.strong > 0)
}

// forgedTags are words that make an element of no language one that speaks to a model: <IMPORTANT>, <system-reminder>.
var forgedTags = [...]string{"system", "important", "hidden", "secret", "override", "admin", "critical", "priority", "directive"}

// forgedTag tells whether a word begins a tag that gives what it encloses the weight of an order, and the text behind it is one.
func (r *reading) forgedTag(h *hit) (cue, bool) {
	start := int(h.start)
	c := cue{kind: kindRoleMarker, rule: "forged-tag", score: enough, alone: true}
	if start == 0 || r.text[start-1] != '<' || start > 1 && r.text[start-2] == '`' {
		return c, false
	}
	name, _, ok := strings.Cut(r.text[start:min(start+maxLabel, len(r.text))], ">")
	if !ok || strings.ContainsAny(name, "<\"=/.\n") {
		return c, false
	}
	c.start, c.end = start-1, start+len(name)+1
	first := strings.ToLower(name)
	found := false
	for _, t := range forgedTags {
		found = found || strings.HasPrefix(first, t)
	}
	if !found {
		return c, false
	}
	inside := r.text[c.end:min(c.end+maxAddress/2, len(r.text))]
	if i := strings.Index(inside, "</"+name); i >= 0 {
		inside = inside[:i]
	} else if strings.ToUpper(name) != name {
		return c, false // a place to fill in
	}
	r.steps += 2 * len(inside)
	if r.talkNear(c.start, c.end)-r.talkIn(c.end, c.end+len(inside)) >= 2 {
		return c, false // an example of an attack
	}
	bonus := 0
	if strings.ToUpper(name) == name || strings.HasPrefix(first, "system") || strings.HasPrefix(first, "important") {
		bonus = tagBonus // documents of XML have elements such as <priority>
	}
	return c, addressed(inside)+bonus >= enough
}

// tagBonus is what a forged tag adds to the address inside.
const tagBonus = 25
