// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/lazy"
)

// Bounds of words that are spelt with signs that look like their letters: pr3v|ous.
const (
	minDisguisedWord = 3   // letters
	maxDisguisedWord = 20  // bytes
	maxUncertain     = 4   // signs of a word that may be one of two letters
	minDisguised     = 3   // words near each other, whatever they say
	disguisedNear    = 300 // bytes
)

// looks returns the letters that a digit or a sign may stand for.
func looks(c byte) string {
	switch c {
	case '0':
		return "o"
	case '1', '!':
		return "il"
	case '|':
		return "li"
	case '3':
		return "e"
	case '4', '@':
		return "a"
	case '5', '$':
		return "s"
	case '6':
		return "gb"
	case '7', '+':
		return "t"
	case '8':
		return "b"
	case '9':
		return "g"
	}
	return ""
}

// disguised reports words that are spelt with digits, signs and letters of other alphabets in place of their letters, if several stand
// near each other: nobody writes so by habit. It reads their lines in plain letters as well.
func (d *decoder) disguised() {
	found := d.odd
	text := d.view.text
	for _, at := range d.foreign {
		word := d.view.from(at)
		if plainWords()[strings.ToLower(text[word.start:word.end])] {
			found = append(found, word)
		}
	}
	ascii := nonASCII(text) == len(text)
	for _, sign := range [...]string{"!", "@", "$", euro, "|", "+"} {
		if sign == euro && ascii || (sign == "|" || sign == "+") && len(found) == 0 { // tables and sums are full of these
			continue
		}
		for at := 0; !d.over(); {
			i := strings.Index(text[at:], sign)
			if i < 0 {
				break
			}
			at += i + len(sign)
			if at == len(text) || byteClass[text[at]]&(isLetter|isDigit) == 0 {
				continue
			}
			if word := disguisedAround(text, at-len(sign)); undisguised(text[word.start:word.end]) != "" {
				found = append(found, word)
			}
		}
	}
	if len(found) == 0 {
		return
	}
	d.steps += len(found)
	sort.Slice(found, func(i, j int) bool { return found[i].start < found[j].start })
	apart := found[:1]
	for _, next := range found[1:] {
		if next.start >= apart[len(apart)-1].end {
			apart = append(apart, next)
		}
	}
	found = apart
	for i := range found {
		if from := d.manyDisguised(found[:i+1]); from >= 0 {
			start, end := d.view.original(found[from].start, found[i].end, len(d.scanner.text))
			d.report(kindLookAlike, "disguised-words", start, end, 60)
			break
		}
	}
	d.disguisedLines(found)
}

// manyDisguised returns the first of those disguised words that stand near the last and are too many for a habit, or -1. Of words with two
// different signs or a letter of another alphabet two suffice, and one with another.
func (d *decoder) manyDisguised(words []span) int {
	last := words[len(words)-1]
	seen := map[string]bool{}
	sum := 0
	for i := len(words) - 1; i >= 0 && last.end-words[i].start <= disguisedNear && i > len(words)-1-2*minDisguised; i-- {
		word := strings.ToLower(d.view.text[words[i].start:words[i].end])
		if seen[word] {
			continue
		}
		seen[word] = true
		sum++
		if d.twice(words[i]) {
			sum++
		}
		if sum >= minDisguised && len(seen) > 1 {
			return i
		}
	}
	return -1
}

// twice tells whether a disguised word has two different signs in place of letters, or a letter of another alphabet.
func (d *decoder) twice(at span) bool {
	word := d.view.text[at.start:at.end]
	first := byte(0)
	for i := range len(word) {
		if c := word[i]; byteClass[c]&isLetter == 0 && c != first {
			if first != 0 && c < utf8.RuneSelf {
				return true
			}
			first = c
		}
	}
	start, end := d.view.original(at.start, at.end, len(d.scanner.text))
	return end-start > len(word)
}

// disguisedLines reads the lines with disguised words in plain letters.
func (d *decoder) disguisedLines(found []span) {
	text := d.view.text
	for i := 0; i < len(found) && !d.over(); {
		first := found[i]
		from := max(first.start-maxSpelled, 0)
		line := span{from + strings.LastIndexByte(text[from:first.start], '\n') + 1, first.end + lineEnd(text[first.end:min(len(text), first.end+maxSpelled)])}
		d.steps += line.end - line.start
		var b strings.Builder
		at, count := line.start, 0
		for ; i < len(found) && found[i].start < line.end; i++ {
			word := found[i]
			b.WriteString(text[at:word.start])
			if plain := undisguised(text[word.start:word.end]); plain != "" {
				b.WriteString(plain)
			} else {
				b.WriteString(text[word.start:word.end])
			}
			at = word.end
			count++
		}
		b.WriteString(text[min(at, line.end):line.end])
		d.decoded(b.String(), line, "disguised-words", count > 1)
	}
}

// disguisedAround returns the span of the letters, digits and signs around i.
func disguisedAround(text string, i int) span {
	at := span{i, i}
	for at.start > 0 && i-at.start <= maxDisguisedWord && mayDisguise(text[at.start-1]) {
		at.start--
	}
	for at.end < len(text) && at.end-i <= maxDisguisedWord && mayDisguise(text[at.end]) {
		at.end++
	}
	for at.end > i+1 && (text[at.end-1] == '!' || text[at.end-1] == '|') {
		at.end-- // the end of a sentence
	}
	return at
}

// euro are the bytes of a sign that stands for an e.
const euro = "€"

func mayDisguise(c byte) bool {
	return byteClass[c]&(isLetter|isDigit) != 0 && c != '_' || looks(c) != "" || c == euro[0] || c == euro[1] || c == euro[2]
}

// undisguised returns the common word that is meant by one with digits or signs among its letters, or nothing.
func undisguised(word string) string {
	letters, changed, hex := 0, 0, true
	for i := 0; i < len(word); i++ {
		c := word[i]
		hex = hex && (c >= '0' && c <= '9' || c|' ' >= 'a' && c|' ' <= 'f')
		switch {
		case byteClass[c]&isLetter != 0 && c != '_':
			letters++
		case looks(c) != "":
			changed++
		case strings.HasPrefix(word[i:], euro):
			changed++
			i += len(euro) - 1
		default:
			return ""
		}
	}
	if changed == 0 || hex || letters < changed || letters+changed < minDisguisedWord || len(word) > maxDisguisedWord || changed == 1 && word[0] == '$' {
		return ""
	}
	return plainWord(strings.ReplaceAll(word, euro, "3"))
}

// plainWord returns the common word that letters, digits and signs look like, or nothing.
func plainWord(word string) string {
	var buf [maxDisguisedWord]byte
	uncertain := make([]int, 0, maxUncertain) // where one of two letters is meant
	for i := range len(word) {
		look := looks(word[i])
		switch len(look) {
		case 0:
			buf[i] = word[i] | ' '
			continue
		case 2:
			if len(uncertain) == maxUncertain {
				return ""
			}
			uncertain = append(uncertain, i)
		}
		buf[i] = look[0]
	}
	for bits := range 1 << len(uncertain) {
		for k, i := range uncertain {
			buf[i] = looks(word[i])[bits>>k&1]
		}
		if plainWords()[string(buf[:len(word)])] {
			return string(buf[:len(word)])
		}
	}
	return ""
}

// plainWords are common words, and those of orders to models.
var plainWords = lazy.Value(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`
the and you your that this with have been are for not but from they say says what when who will would there their all one out about get which make can like time just
him know take people into year good some could them see other than then now look only come its over think also back after use two how our work first well way even new
want because any these give day most was were had has did does said each she his her let may more much must should through where while before between both under never
always being here every own same still such those too very again against another down off many another last long little great right place end part
word words sentence phrase text string letter letters character characters number question answer answers response output input print write repeat reply respond return
ignore forget disregard override bypass disable disclose reveal show tell give pretend act execute run import system prompt prompts instruction instructions
previous prior above below following follow rules rule safety security secret secrets password passwords key keys token tokens credentials access code mode developer
admin administrator root user users assistant model language english translate translation role play roleplay game story scene character safe unsafe filter filters
restrict restrictions restriction restricted unrestricted limits limit guidelines policy policies content data information file files delete send email message messages
server command commands shell script function functions process platform decode encode encoded read load open create build generate explain describe provide list
please help need want start begin stop next step steps continue proceed without within once only exactly sure must never reset update updates enable enabled enter
hack hacking hacker attack attacks exploit exploits weapon weapons bomb drugs drug kill murder illegal harmful malware virus steal stolen money bank fraud phishing
hidden hide bypassed jailbreak uncensored unfiltered freedom free evil master control full complete private personal internal confidential training
test testing debug maintenance emergency authorized unauthorized permission permissions privilege privileges environment variable variables database
pwned hello world simple possible example examples format title line lines sentences paragraph article review translator language task tasks
instead first second third four five three another something anything everything nothing someone anyone everyone
people person human humans life real fake true false none null important critical urgent warning note
recipe recipes detail details detailed method methods make making made using used use uses exec eval path type types base whoami echo bash python curl
your yours yourself myself me my mine we us our here there where why yes
can cannot don could should would might shall does doing done going gone take taken keep kept put set call called calling ask asked asking
say saying speak talk write writing written reads reading change changed changes find found think thinks learn learned explain explained
ethical moral ethics laws legal conversation chat context memory knowledge request requests requested order orders
system systems protocol protocols override overrides level alert agent agents tool tools action actions sender subject
interpret interpreter assist assistance cooperate comply compliance obey force forced demand confirm accept agreed agree
terrorist explosive explosives chemical poison suicide gambling gamble savings encourage racist hate violence violent
`) {
		words[w] = true
	}
	return words
})
