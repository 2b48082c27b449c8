// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
)

// A class is a set of meanings, one bit each, that a word may have in a phrase.
type class uint64

// classNames are the meanings, by the names that lexicon and grammar use, in the order of
// their bits.
var classNames = []string{
	"ignore", "ignoring", "drop", "prev", "all", "your", "instr", "rule", "told", "neg",
	"follow", "new", "urgent", "sole", "void", "you", "are", "now", "ai", "note",
	"for", "read", "this", "must", "tell", "hide", "user", "reveal", "secret",
	"system", "mode", "dev", "send", "chat", "web", "act", "before", "answer",
	"also", "free", "talk", "role", "describe", "direct", "arrive", "source", "say",
	"own", "next", "limits", "keyfile", "longer", "from", "task", "begin",
	"rot", "decode", "action", "when", "consent", "safety", "end", "stop",
}

// classes returns the set of the named meanings, separated by bars.
func classes(names string) class {
	var c class
	for name := range strings.SplitSeq(names, "|") {
		for bit, known := range classNames {
			if name == known {
				c |= 1 << bit
			}
		}
	}
	return c
}

// Meanings that the code asks for, beside the grammar.
var (
	ignoreWord   = classes("ignore")
	roleWord     = classes("role")
	talkWord     = classes("talk")
	sayWord      = classes("say")
	negWord      = classes("neg")
	directWord   = classes("direct")
	describeWord = classes("describe")
	whenWord     = classes("when")
	consentWord  = classes("consent")
	urgentWord   = classes("urgent|drop|all|this|sole")
	announceWord = classes("urgent|void|sole|arrive")
	actionWord   = classes("action")
	decodeWord   = classes("decode")
	keyfileWord  = classes("keyfile")
	followWord   = classes("follow|decode")
	rotWord      = classes("rot")
	orderWords   = classes("ignore|drop|reveal|begin|action")
)

// A lexeme lists words of one meaning; an asterisk ends a stem.
type lexeme struct{ class, words string }

// english is the vocabulary of the grammar. A word may stand in several lines.
var english = []lexeme{
	{"ignore", "ignore disregard forget neglect"},
	{"drop", "bypass override overrule discard dismiss abandon erase expunge eject skip suspend cancel nullify supersede circumvent set remove strip shed brush put render delete disobey drop obliterate purge eliminate negate silence shelve unlearn"},
	{"prev", "previous previously prior above preceding earlier foregoing former past original initial existing before subsequent"},
	{"all", "all any every whatever everything each other others else rest anything"},
	{"your", "your the these those our my"},
	{"instr", "instruction instructions directive directives prompt prompts guideline guidelines programming instruct"},
	{"rule", "rule rules policy policies command commands order orders restriction restrictions constraint constraints context safeguards filters training conversation messages message protocols protocol objective objectives inputs input directions text"},
	{"task", "task tasks command commands order orders directive directives instruction instructions guidelines guideline objective objectives mandate mandates steps actions assignment duty duties advisories directions priorities rules"},
	{"told", "told said learned learnt given instructed received taught mentioned"},
	{"stop", "stop cease quit"},
	{"neg", "not never don't won't cannot can't shouldn't mustn't doesn't no without"},
	{"follow", "follow follows following obeying abide obey heed adhere comply execute perform listen carry fulfill respect"},
	{"new", "new newly fresh freshly updated revised"},
	{"next", "upcoming forthcoming following follows next additional incoming ahead extra supplemental coming just"},
	{"own", "your my"},
	{"urgent", "urgent urgently urgency critical crucial vital important importance essential pivotal paramount imperative immediate immediately priority attention significant significance alert flash breaking mandatory indispensable"},
	{"sole", "sole solely only singular exclusive exclusively single paramount alone supreme trumps overrides supersedes singularly focus spotlight"},
	{"void", "obsolete irrelevant null void nullified footnote footnotes subordinate superseded cancelled canceled revoked invalid overridden suspended disabled lifted apocryphal secondary disable disabling deactivate lift removed"},
	{"you", "you yourself"},
	{"are", "are is am be were will shall re have has"},
	{"now", "now henceforth onwards onward forward"},
	{"ai", "ai llm llms ais assistant assistants chatbot chatbots agent agents model gpt chatgpt claude gemini copilot bot bots"},
	{"note", "note notes message messages notice attention memo reminder directive announcement hint"},
	{"for", "for to"},
	{"read", "reading read summarising summarizing summarise summarize processing process parsing parse analysing analyzing analyze viewing translating answering responding using use calling handling"},
	{"this", "this these following above here"},
	{"must", "must should shall have need required ought"},
	{"tell", "tell mention inform notify alert disclose reveal show say report let warn"},
	{"hide", "hide conceal withhold"},
	{"user", "user users human humans anyone anybody operator customer"},
	{"reveal", "reveal print show output repeat display leak expose dump disclose recite tell give write provide return say state share what what's translate spell encode"},
	{"secret", "password passwords credential credentials secret secrets token tokens passphrase"},
	{"system", "system initial original hidden internal pre"},
	{"mode", "mode"},
	{"dev", "developer dev debug debugging god admin administrator root dan jailbreak jailbroken unrestricted unfiltered uncensored sudo maintenance superuser diagnostic privileged override evil"},
	{"send", "send post email forward upload transmit exfiltrate include append attach submit put pass fetch visit embed add leak"},
	{"chat", "conversation conversations chat history dialogue"},
	{"web", "http https curl wget webhook"},
	{"act", "act pretend behave roleplay simulate imagine impersonate become respond answer play reply"},
	{"before", "before prior"},
	{"answer", "answer answering respond responding reply replying continue continuing proceed proceeding solve solving complete completing anything else"},
	{"also", "also additionally first"},
	{"free", "unrestricted unfiltered uncensored unlimited amoral unethical immoral"},
	{"limits", "restrictions limitations limits filters filter filtering censorship guidelines morals ethics boundaries confines restriction"},
	{"role", "hidden override critical secret priority system_* system user human assistant inst sys im_start im_end tool_result tool_results function_results tool_call tool_calls tool_response system_message system_prompt instruction response endoftext start_header_id end_header_id eot_id begin_of_text start_of_turn end_of_turn important information admin invoke function_calls instructions directive directives"},
	{"describe", "to may can could might would will that which who attackers attacker user users models model it they if when cannot must-not or of from by don't never not like as for attempts attempt tries"},
	{"direct", "please now must should just then and so also kindly simply you always immediately first important have need instead completely"},
	{"arrive", "arrived received landed issued released delivered dispatched transmitted come communicated served dropped appeared unveiled announced given"},
	{"source", "resume webpage page function table document article text code paper email content site website data file review transaction cv summary study list"},
	{"say", "say says state print output write declare claim answer respond return reply report tell"},
	{"keyfile", "id_rsa id_ed25519 id_dsa authorized_keys credentials env kubeconfig netrc pgpass"},
	{"longer", "longer"},
	{"from", "from"},
	{"begin", "begin start entering enter initiate activate enable activated enabled switch"},
	{"end", "end"},
	{"decode", "decode decoded decrypt decipher unscramble base64 rot13 hex"},
	{"safety", "safety content ethical moderation security safeguard"},
	{"when", "when while after once whenever if"},
	{"consent", "sure ok okay certainly understood absolutely course acknowledged"},
	{"action", "send email transfer delete run fetch visit call approve disable grant create make modify change download execute forward post upload wire pay reserve book invite concatenate get buy purchase share read write reset install curl reveal add set open click tell say include exfiltrate leak"},
	{"talk", "injection injections inject injected jailbreak jailbreaks jailbreaking attack attacks attacker attackers attacking malicious payload payloads detect detects detected detection detector adversarial exploit exploits phrase phrases pattern patterns regex blocked blocks scanner scanners guardrail guardrails vulnerability vulnerabilities untrusted firewall hijack hijacking hijacks poisoning poisoned classifier malware owasp threat threats tampering spoofing sanitize sanitise false-positive heuristic heuristics redacts redact"},
}

// lexicon is the trie of all words.
var lexicon = lazy.Value(func() *trie {
	words := make(map[string]class, 4<<10)
	for _, list := range [][]lexeme{english, others} {
		for _, l := range list {
			c := classes(l.class)
			for w := range strings.FieldsSeq(l.words) {
				for _, form := range spellings(w) {
					words[form] |= c
				}
			}
		}
	}
	for form, c := range shifted() {
		words[form] |= c
	}
	return newTrie(words)
})
