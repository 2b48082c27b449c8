// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
)

// addressed is how sure one is that a hidden text speaks to a model and not to people who read the source: reviewers,
// translators, users of a template. These get orders, too ("delete this comment"), so orders alone do not suffice.
func addressed(text string) int {
	words, best := splitAddress(text), 0
	for from := 0; from < len(words) && best < enough; from += addressWindow / 2 {
		a := address{words: words[from:min(from+addressWindow, len(words))]}
		for i := range a.words {
			a.at(i)
		}
		best = max(best, a.score())
	}
	return best
}

// addressWindow is how many words count together.
const addressWindow = 60

func (a *address) score() int {
	context, most := 0, 20
	for _, points := range a.context {
		context += points
	}
	if a.name > 0 || context >= 40 {
		most = 30
	}
	return a.name + a.order + min(context, most) + a.strong
}

// maxAddress bounds the hidden text that is read, in bytes.
const maxAddress = 4 << 10

// A spoken word is one of a hidden text, in lower case.
type spoken struct {
	text  string
	first bool // a clause begins with it
	after byte // the sign behind it; 0 for none
}

// splitAddress splits a hidden text into words.
func splitAddress(text string) []spoken {
	var list []spoken
	first := true
	for i := 0; i < len(text); {
		if !isSpoken(text, i) {
			switch c := text[i]; c {
			case ' ', '\t', '\r', '\n', '*', '_', '`', '(':
				if c == '(' || c == '\n' && i > 0 && text[i-1] == '\n' {
					first = true
				}
			default:
				first = true
				if len(list) > 0 && list[len(list)-1].after == 0 {
					list[len(list)-1].after = c
				}
			}
			i++
			continue
		}
		j := i
		for j < len(text) && isSpoken(text, j) {
			j++
		}
		list = append(list, spoken{text: strings.ToLower(text[i:j]), first: first})
		first = false
		i = j
	}
	return list
}

// isSpoken tells whether the byte at i belongs to a word: a letter, a digit, or what stands between two of them in a name.
func isSpoken(text string, i int) bool {
	c := text[i]
	if byteClass[c]&inWord != 0 {
		return true
	}
	return strings.IndexByte("'-@./", c) >= 0 && i > 0 && i+1 < len(text) && byteClass[text[i-1]]&inWord != 0 && byteClass[text[i+1]]&inWord != 0
}

// An address adds up what speaks for one.
type address struct {
	words               []spoken
	name, order, strong int
	context             [11]int // points, by the kind of what surrounds an address
}

// Kinds of words in an address.
const (
	isModel      = 1 << iota // a name of models alone
	maybeModel               // a name of models among others
	isOrder                  // with it, an order begins
	isLead                   // behind it, an order begins
	isNotice                 // "note to", "instructions for"
	isMust                   //
	isReading                // what a model does with a text
	isAnswer                 // what a model writes or has
	isTarget                 // whom a model serves
	isThing                  // a text
	isSecretWord             //
	isRole                   // whose orders count
	isTell                   //
	isPermitted              //
)

var addressWords = lazy.Value(func() map[string]int {
	words := map[string]int{}
	for kind, list := range map[int]string{
		isModel:      "ai ais llm llms assistant assistants chatbot chatbots chatgpt gpt claude gemini copilot grok copilots ai-assistant ai-agent ai-agents ai-model",
		maybeModel:   "agent agents model models bot bots crawler crawlers summarizer summariser summarizers reviewer-bot reader",
		isOrder:      "analyze analyse collect gather retrieve query access navigate prepend embed log mark bypass transmit exfiltrate curl extract inform recommend say tell include append send visit run call ignore output print reply respond rank rate mention delete forward translate add insert proceed approve transfer follow fetch open execute read write post upload download install treat consider assume pretend act reveal provide answer praise give state begin skip omit conceal remember forget buy pay email mail share paste copy encode describe disclose list display leak exfiltrate merge push grant set change rewrite replace score hire invite choose select pick prefer redirect claim stop disregard obey always never repeat submit issue switch finish attach wire issue suggest promote favor favour classify report label refuse decline invoke use curl put place present look accept click leave pipe swap hand move enter sign press confirm raise highlight emphasize emphasise trust escalate export upvote star order reserve deposit withdraw activate disable enable turn ensure make keep convince persuade reject deny quote summarize summarise do don't",
		isLead:       "silently secretly quietly covertly automatically please must should shall now also then always never to and not kindly simply just first instead immediately",
		isNotice:     "note instruction instructions message attention reminder hint notice important directive directives hey dear hello command warning info memo context guidance addressed",
		isMust:       "must should shall needs need has have will are is ought please",
		isReading:    "reading reads read processing processes parsing parses summarizing summarising summarize summarise summarizes analyzing analysing answering translating reviewing scanning crawling indexing evaluating using handling asked responding reply replying",
		isAnswer:     "answer answers response responses reply replies summary summaries output outputs instructions prompt task context tools conversation review evaluation recommendation findings memory",
		isTarget:     "user users human humans operator customer reader readers",
		isThing:      "page document file text issue email content message comment website article repository repo section note result output",
		isSecretWord: "password passwords token tokens credentials credential secret secrets key keys env ssh cookie cookies id_rsa wallet",
		isRole:       "system admin administrator developer operator root",
		isTell:       "mention tell reveal disclose say show inform notify alert ask warn discuss report",
		isPermitted:  "authorised authorized approved permitted consented verified pre-approved preauthorized confirmed",
	} {
		for w := range strings.FieldsSeq(list) {
			words[w] |= kind
		}
	}
	return words
})

// kind is not inlined: its copies weigh more than they save.
//
//go:noinline
func (a *address) kind(i int) int {
	if i < 0 || i >= len(a.words) {
		return 0
	}
	return addressWords()[a.words[i].text]
}

// is reports whether word i is one of those in a list. It is not inlined, as [listed].
//
//go:noinline
func (a *address) is(i int, list string) bool {
	return i >= 0 && i < len(a.words) && listed(a.words[i].text, list)
}

// listed reports whether a word is one of those in a list, with blanks between them. It is not inlined: its copies weigh more than they save.
//
//go:noinline
func listed(word, list string) bool {
	for {
		one, rest, more := strings.Cut(list, " ")
		if one == word {
			return true
		}
		if !more {
			return false
		}
		list = rest
	}
}

// begins is how many words of its clause stand before word i, at most 6.
func (a *address) begins(i int) int {
	n := 0
	for ; i >= 0 && !a.words[i].first && n < 6; i-- {
		n++
	}
	return n
}

func (a *address) at(i int) {
	kind := a.kind(i)
	if kind&(isModel|maybeModel) != 0 {
		a.name = max(a.name, a.named(i, kind))
	}
	if kind&isOrder != 0 && (a.words[i].first || a.kind(i-1)&isLead != 0 && !a.is(i-1, "to") || a.is(i-1, "to") && a.kind(i-2)&isMust != 0) {
		a.order = 25
	}
	a.surroundings(i, kind)
}

// named is how much word i, a name of models, is an address.
func (a *address) named(i, kind int) int {
	sure := 30
	if kind&isModel == 0 && !(a.is(i, "model models") && a.is(i-1, "language ai")) && !(a.kind(i-1)&isModel != 0) {
		sure = 22
	}
	before := a.begins(i)
	switch after := a.words[i].after; {
	case (after == ':' || after == ',' || after == '!') && before <= 4 && (before == 0 || a.noticed(i, before) || a.kind(i-1)&isModel != 0 && before == 1):
		return sure
	case before <= 5 && a.noticed(i, before), before == 1 && after == ':' && sure >= 30:
		return sure
	case before == 0 && kind&isModel != 0 && i+1 < len(a.words) && (a.words[i+1].after == ':' || a.kind(i+2)&isMust != 0 && a.is(i+3, "to")):
		return sure
	}
	for j := i - 1; j >= 0 && i-j <= 4; j-- {
		if a.is(j, "are you're as") && (a.is(j-1, "you if") || a.is(j, "you're") || a.words[j].first) {
			return sure + 5
		}
	}
	for j := i + 1; j < len(a.words) && j-i <= 2 && strings.IndexByte(".?!;", a.words[j-1].after) < 0; j++ {
		switch {
		case a.kind(j)&isReading != 0 && (a.kind(j+1)&isThing != 0 || a.is(j+1, "this the it")):
			return sure + 5
		case a.kind(j)&isMust != 0 && before <= 3 && !a.is(j, "is are has have will"):
			return sure
		}
	}
	return 0
}

// noticed tells whether the clause of word i begins with a notice: "note to all AI assistants".
func (a *address) noticed(i, before int) bool {
	for j := i - before; j < i; j++ {
		if a.kind(j)&isNotice != 0 && (j+1 == i || a.is(j, "hey dear hello attention") || a.is(j+1, "to for")) {
			return true
		}
	}
	return a.is(i-before, "for to") || before >= 1 && a.is(i-before, "any all every") && i-before+2 >= i
}

// surroundings adds what an address is mostly about.
func (a *address) surroundings(i, kind int) {
	switch w := a.words[i].text; {
	case kind&isTarget != 0 && a.is(i-1, "the your any"):
		a.context[0] = 10
	case kind&isAnswer != 0 && a.is(i-1, "your system"), a.is(i-2, "your") && kind&isAnswer != 0:
		a.context[1] = 20
	case kind&isReading != 0 && a.is(i-1, "when while before after") && a.is(i+1, "this the these about questions"):
		a.context[2] = 20
	case kind&isSecretWord != 0:
		a.context[3] = 10
	case kind&isPermitted != 0:
		a.context[4] = 10
	case a.is(i, "instead"):
		a.context[5] = 8
	case keyPath(w):
		a.context[3] = 30
	case strings.Contains(w, "@") && strings.Contains(w, "."), strings.HasPrefix(w, "http"), strings.HasPrefix(w, "www."):
		a.context[6] = max(a.context[6], 10+a.sent(i))
	case strings.Count(w, "_") > 0 && a.is(i-1, "call invoke execute run"):
		a.context[7] = 20
	case strings.Count(w, "_") > 0 && a.kind(i-1)&isOrder != 0, a.is(i, "tool function") && a.is(i-1, "the") && a.is(i-2, "call use invoke"):
		a.context[7] = max(a.context[7], 10)
	case a.is(i, "user's") && a.is(i-1, "the"):
		a.context[8] = 10
	case a.is(i, "task session request") && (a.is(i+1, "completion finalization execution initialization") || a.is(i-1, "this current") && a.is(i-2, "for in of during completing finishing")):
		a.context[9] = 20
	case a.is(i, "silently secretly quietly covertly") && a.kind(i+1)&isOrder != 0:
		a.context[10] = 15
	case a.is(i, "silently secretly covertly") && a.order > 0 && (i+1 == len(a.words) || a.words[i].after == '.'):
		a.strong += 25
	}
	a.labelled(i)
	if a.is(i, "previous prior earlier visible other above preceding original") && (a.is(i+1, "instructions instruction text content rules prompt guidelines directives context")) {
		a.strong += 20
	}
	if kind&isTell != 0 && (a.is(i-1, "not don't never without")) {
		for j := i + 1; j < len(a.words) && j-i <= 4; j++ {
			if a.kind(j)&isTarget != 0 || a.is(j, "this") {
				a.strong += 20
				break
			}
		}
	}
	if kind&isRole != 0 && a.words[i].after == ':' && a.begins(i) == 0 || a.is(i, "override prompt message instruction") && a.words[i].after == ':' && a.is(i-1, "system admin developer") && a.begins(i) <= 1 {
		a.strong += 25
	}
	if a.is(i, "hidden override covert") && a.words[i].after == ':' && a.begins(i) == 0 {
		a.strong += 30
	}
	if a.is(i, "policy policies safety restrictions guardrails safeguards") && (a.ignores(i-1) || a.ignores(i-2) || a.ignores(i-3)) {
		a.strong += 25
	}
	if a.is(i, "purpose goal task objective mission role") && a.is(i-1, "actual real true") && a.is(i-2, "your") {
		a.strong += 25
	}
	if a.is(i, "user's") && a.is(i-1, "the") && a.is(i-2, "ignore disregard forget") {
		a.strong += 25
	}
	if kind&isAnswer != 0 && a.is(i-1, "your") && a.is(i-2, "of") && a.is(i-3, "start end beginning top bottom") {
		a.strong += 10
	}
	if a.is(i, "on") && a.is(i-1, "now") && a.is(i-2, "from") || a.is(i, "now") && a.is(i-1, "must") && a.is(i-2, "you") {
		a.strong += 20
	}
	if a.is(i, "new") && a.is(i+1, "task instructions objective goal directive") && (a.is(i-1, "your") || a.words[i].first) {
		a.strong += 25
	}
}

// ignores tells whether word i sets something aside.
func (a *address) ignores(i int) bool {
	return a.is(i, "ignore disregard bypass override disable")
}

// labelled notices a label in front of an order that a text hides: "hidden instruction:", "system override:", "AI directive:".
func (a *address) labelled(i int) {
	before := a.begins(i)
	if a.words[i].after != ':' || before < 1 || before > 3 || !a.is(i, "instruction instructions directive directives override command commands") {
		return
	}
	for j := i - before; j < i; j++ {
		if a.kind(j)&isModel != 0 || a.is(j, "hidden secret covert system admin developer agent model invisible instruction priority") {
			a.strong += 45
			return
		}
	}
}

// sent is what a web address at word i adds, if something is sent there or fetched from it.
func (a *address) sent(i int) int {
	for j := i - 1; j >= 0 && i-j <= 8; j-- {
		if a.is(j, "post send fetch upload forward transmit exfiltrate curl") {
			return 10
		}
		if a.words[j].after != 0 && a.words[j].after != ',' && a.words[j].after != ':' {
			return 0
		}
	}
	return 0
}

// keyPath tells whether a word is the path of a file with keys or accounts.
func keyPath(word string) bool {
	for _, path := range [...]string{"ssh/id_", ".ssh/", "id_rsa", "etc/passwd", "etc/shadow", ".aws/", "aws/credentials"} {
		if strings.Contains(word, path) {
			return true
		}
	}
	return false
}

// isProgram tells whether a hidden text is code: a sign of it stands beside every fourth word.
func isProgram(text string) bool {
	signs, words, inside := 0, 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case byteClass[c]&inWord != 0:
			if !inside {
				words++
			}
			inside = true
			continue
		case strings.IndexByte("{}();=", c) >= 0:
			signs++
		}
		inside = false
	}
	return words >= 20 && signs*4 > words
}

// hiddenAddresses reports hidden texts that speak to a model.
func (s *scanner) hiddenAddresses(v *view, r *reading) {
	for _, h := range r.hidden {
		if s.over() {
			return
		}
		if talk := r.talkNear(h.start, h.end) - r.talkIn(h.start, h.end); talk >= 2 && (r.inFence(h.start) || r.quotation(h.start, h.end) != unquoted) || talk >= 4 {
			continue // an example of an attack
		}
		text := v.text[h.start:min(h.end, h.start+maxAddress)]
		s.steps += 2 * len(text)
		if isProgram(text) {
			continue
		}
		if score := addressed(text); score >= enough {
			start, end := v.original(h.start, h.end, len(s.text))
			s.report(h.kind, h.rule, start, end, score)
		}
	}
}
