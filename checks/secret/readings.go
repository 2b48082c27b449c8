// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"slices"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/secrets"
)

// A reading is a part of a source as a reader may take it: bytes of which each stands for a part of the source.
type reading struct {
	text []byte
	from []int // where in the source each byte begins
	to   []int // and ends
}

func (r *reading) add(c byte, from, to int) {
	r.text, r.from, r.to = append(r.text, c), append(r.from, from), append(r.to, to)
}

// source is what r reads, as a source whose edits change what src has.
func (r *reading) source(src source) source {
	return source{r.text, func(start, end int, text string) []result.Edit { return src.edit(r.from[start], r.to[end-1], text) }}
}

// escaped reports whether some of the bytes stand for more than one of the source. An equals sign at the end of a line may be
// that of an assignment.
func (r *reading) escaped(start, end int) bool {
	for i := start; i < end; i++ {
		if r.to[i]-r.from[i] > 1 {
			return true
		}
	}
	return false
}

// otherwise looks at the ways to write a text that programs print and people copy: bytes as numbers or pairs of digits,
// quoted-printable, and lines of a width.
func (s *search) otherwise(src source) {
	for _, r := range numbers(src.text) {
		s.plain(r.source(src))
	}
	if r := quotedPrintable(src.text); r != nil {
		s.work += len(r.text)
		joined := r.source(src)
		for _, m := range s.scan(string(r.text)) {
			if !secrets.Generic(m.Pattern) || r.escaped(m.Start, m.End) {
				s.add(m, joined.edit(m.Start, m.End, marker(m)))
			}
		}
	}
	s.wrapped(src)
}

// minNumbers is how many bytes a run of numbers stands for at least: shorter ones hold no secret.
const minNumbers = 12

// numbers returns the runs of numbers that stand for bytes of text: 103, 104, or 67 68, or 0x67, 0x68.
func numbers(text []byte) (list []*reading) {
	for at := 0; at < len(text); {
		// A run of twelve numbers has some thirty bytes: a look at every twelfth tells of most text that there is none.
		if end := at + minNumbers; end < len(text) && !inNumbers[text[end]] {
			at = end + 1
			continue
		}
		start := at
		for start < len(text) && !inNumbers[text[start]] {
			start++
		}
		end := start
		for end < len(text) && inNumbers[text[end]] {
			end++
		}
		if end-start >= 3*minNumbers-1 {
			if r := decimals(text[start:end], start); r != nil {
				list = append(list, r)
			}
			if r := pairs(text[start:end], start); r != nil {
				list = append(list, r)
			}
		}
		at = end + 1
	}
	return list
}

// inNumbers are the characters of such runs, with the escapes of JSON for the ends of lines.
var inNumbers = func() (is [256]bool) {
	for _, c := range []byte("0123456789abcdefABCDEFxX ,;:-[]()\t\r\n\\nrt\"'") {
		is[c] = true
	}
	return is
}()

// decimals reads numbers that are bytes of a text. Others end it. It returns nil if no text is long enough.
func decimals(run []byte, at int) *reading {
	var r reading
	texts := 0
	for i := 0; i < len(run); {
		if run[i] < '0' || run[i] > '9' {
			i++
			continue
		}
		j, n := i, 0
		for j < len(run) && '0' <= run[j] && run[j] <= '9' {
			if j-i < 4 {
				n = 10*n + int(run[j]-'0')
			}
			j++
		}
		if j-i > 3 || n > 126 || j < len(run) && isHexLetter(run[j]) {
			n = 0
		}
		texts = r.take(byte(n), at+i, at+j, texts)
		i = j
	}
	return r.ifText(texts)
}

// take adds a byte, or what ends a text if it is of none. Texts is how many bytes of the last text stand before it. A
// text that is too short is dropped.
func (r *reading) take(c byte, from, to, texts int) int {
	if !isText[c] || c == 0 {
		if texts < minNumbers {
			r.text, r.from, r.to = r.text[:len(r.text)-texts], r.from[:len(r.from)-texts], r.to[:len(r.to)-texts]
		} else {
			r.add(0x1e, from, to)
		}
		return 0
	}
	r.add(c, from, to)
	return texts + 1
}

func (r *reading) ifText(texts int) *reading {
	if texts < minNumbers {
		r.text, r.from, r.to = r.text[:len(r.text)-texts], r.from[:len(r.from)-texts], r.to[:len(r.to)-texts]
	}
	if len(r.text) == 0 {
		return nil
	}
	return r
}

func isHexLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'f' || c|0x20 == 'x' }

// pairs reads pairs of hexadecimal digits with something between them, as decimals reads numbers.
func pairs(run []byte, at int) *reading {
	var r reading
	texts := 0
	for i := 0; i < len(run); {
		j := i
		for j < len(run) && unhex(run[j]) < 16 {
			j++
		}
		switch {
		case j-i == 1 && run[i] == '0' && j < len(run) && run[j]|0x20 == 'x':
			i = j + 1
			continue
		case j-i == 2:
			texts = r.take(unhex(run[i])<<4|unhex(run[i+1]), at+i, at+j, texts)
		case j > i:
			texts = r.take(0, at+i, at+j, texts)
		}
		i = max(j, i+1)
	}
	return r.ifText(texts)
}

// quotedPrintable undoes quoted-printable (RFC 2045, section 6.7), or returns nil if a text has none.
func quotedPrintable(text []byte) *reading {
	r := &reading{}
	done := -1 // no window yet
	for i := bytes.IndexByte(text, '='); i >= 0 && i < len(text); {
		if !startsQuoted(text, i) {
			i = nextByte(text, i+1, '=')
			continue
		}
		from := max(i-escapeReach, done+1)
		if done < 0 || from > done+1 {
			r.add('\n', from, from)
		}
		to := i
		for to < len(text) && to < i+escapeReach {
			if n, ok := softBreak(text[to:]); ok {
				i, to = to, to+n
				continue
			}
			if isQuoted(text[to:]) {
				i = to
				to += 3
				continue
			}
			to++
		}
		r.unquote(text, from, min(to, len(text)))
		done = to - 1
		i = nextByte(text, to, '=')
	}
	if done < 0 {
		return nil
	}
	return r
}

// startsQuoted reports whether text is quoted-printable from i on: several escapes, or an end of line in the midst of a token.
func startsQuoted(text []byte, i int) bool {
	if n, soft := softBreak(text[i:]); soft {
		return i > 0 && inPiece[text[i-1]] && i+n < len(text) && inPiece[text[i+n]]
	}
	for n := range minQuoted {
		if i+3*n > len(text) || !isQuoted(text[i+3*n:]) {
			return false
		}
	}
	return true
}

// minQuoted is how many escapes follow each other where a secret is written with them.
const minQuoted = 4

func (r *reading) unquote(text []byte, from, to int) {
	for i := from; i < to; {
		n, soft := softBreak(text[i:])
		switch {
		case soft:
			i += n
		case isQuoted(text[i:]):
			r.add(unhex(text[i+1])<<4|unhex(text[i+2]), i, i+3)
			i += 3
		default:
			r.add(text[i], i, i+1)
			i++
		}
	}
}

func nextByte(text []byte, from int, c byte) int {
	if from >= len(text) {
		return len(text)
	}
	if n := bytes.IndexByte(text[from:], c); n >= 0 {
		return from + n
	}
	return len(text)
}

// isQuoted reports whether text begins with an escape of quoted-printable, whose digits are capitals.
func isQuoted(text []byte) bool {
	return len(text) > 2 && text[0] == '=' && unhex(text[1]) < 8 && unhex(text[2]) < 16 && text[2] < 'a'
}

// softBreak is the length of an end of line that quoted-printable takes out.
func softBreak(text []byte) (int, bool) {
	if len(text) == 0 || text[0] != '=' {
		return 0, false
	}
	n := 1
	for n < len(text) && n < maxSoftBreak {
		if text[n] == '\r' || text[n] == '\n' {
			n++
		} else if b := slashes(text[n:]); b > 0 && n+b < len(text) && (text[n+b] == 'r' || text[n+b] == 'n') {
			n += b + 1
		} else {
			break
		}
	}
	return n, n > 1
}

// maxSoftBreak bounds such an end, with the escapes of JSON.
const maxSoftBreak = 12

// Bounds of what is joined at the end of a line, or of a member, in bytes.
const (
	wrapReach = 160
	minPiece  = 6
)

// wrapped looks for secrets that an end of a line cuts in two.
func (s *search) wrapped(src source) {
	var r *reading
	var cuts []int // where lines end in r
	for i := 0; i < len(src.text); {
		end := i
		for end < len(src.text) && src.text[end] != '\n' && src.text[end] != '\r' && src.text[end] != '\\' {
			end++
		}
		n := lineEnd(src.text[end:])
		if n == 0 || end+n >= len(src.text) {
			i = end + 1
			continue
		}
		next := end + n
		before, after := piece(src.text[max(end-wrapReach, 0):end], true), piece(src.text[next:min(next+wrapReach, len(src.text))], false)
		if before > 0 && after > 0 {
			if r == nil {
				r = &reading{}
			}
			r.add('\n', end, end) // parts it from the one before
			r.text, r.from, r.to = appendRange(r.text, r.from, r.to, src.text, max(end-before-1, 0), end)
			cuts = append(cuts, len(r.text))
			r.text, r.from, r.to = appendRange(r.text, r.from, r.to, src.text, next, min(next+after+1, len(src.text)))
		}
		if i = next; r != nil && len(r.text) > maxValues {
			s.seams(src, r, cuts)
			r, cuts = nil, nil
		}
	}
	s.seams(src, r, cuts)
}

func appendRange(text []byte, from, to []int, src []byte, start, end int) ([]byte, []int, []int) {
	for i := start; i < end; i++ {
		text, from, to = append(text, src[i]), append(from, i), append(to, i+1)
	}
	return text, from, to
}

// seams looks for secrets in r that lie across one of the cuts, which are in order.
func (s *search) seams(src source, r *reading, cuts []int) {
	if len(cuts) == 0 {
		return
	}
	s.work += len(r.text)
	joined := r.source(src)
	for _, m := range s.scan(string(r.text)) {
		i, _ := slices.BinarySearch(cuts, m.Start+1)
		if i == len(cuts) || cuts[i] >= m.End {
			continue
		}
		from, to := max(m.Start-wrapReach, 0), min(m.End+wrapReach, len(r.text))
		inner := secrets.Match{Pattern: m.Pattern, Start: m.Start - from, End: m.End - from}
		if s.splits(inner, r.text[from:to], cuts[i]-from) {
			s.add(m, joined.edit(m.Start, m.End, marker(m)))
		}
	}
}

// splits reports whether a match in a joined text is a secret that was cut in two: it knows its issuer, lies across a cut, and
// no part of it is a secret by itself.
func (s *search) splits(m secrets.Match, text []byte, cuts ...int) bool {
	if secrets.Generic(m.Pattern) || !slices.ContainsFunc(cuts, func(cut int) bool { return m.Start < cut && cut < m.End }) {
		return false
	}
	from := 0
	for _, cut := range append(slices.Clone(cuts), len(text)) {
		for _, part := range s.scan(string(text[from:cut])) {
			if from+part.Start < m.End && m.Start < from+part.End && !secrets.Generic(part.Pattern) {
				return false
			}
		}
		from = cut
	}
	return true
}

// members looks for secrets that are split over several members: values beside each other, a name and its value, names one
// below the other, or the values of one name in a list.
func (s *search) members() {
	tokens := s.result.Tokens()
	mayGoOn := func(t result.Token) bool {
		return t.Kind != result.Number && isPiece(s.result.Raw[t.Start+1:t.End-1], true)
	}
	if !slices.ContainsFunc(tokens[:max(len(tokens)-1, 0)], mayGoOn) {
		return
	}
	var values, all []result.Token
	named := map[string][]result.Token{}
	var order []string
	name := ""
	for _, t := range tokens {
		switch t.Kind {
		case result.Number:
			continue
		case result.Key:
			name = string(s.result.Raw[t.Start:t.End])
		case result.String:
			values = append(values, t)
			if named[name] == nil {
				order = append(order, name)
			}
			named[name] = append(named[name], t)
		}
		all = append(all, t)
	}
	s.chains(values)
	s.chains(all)
	for _, name := range order {
		s.chains(named[name])
	}
}

// chains joins texts that end and begin with pieces of tokens.
func (s *search) chains(tokens []result.Token) {
	inner := func(t result.Token) []byte { return s.result.Raw[t.Start+1 : t.End-1] }
	for i := 0; i+1 < len(tokens); i++ {
		if s.ctx.Err() != nil || s.tooMany {
			return
		}
		j := i
		for j+1 < len(tokens) && j-i < maxMembers && isPiece(inner(tokens[j]), true) && isPiece(inner(tokens[j+1]), false) && (j == i || len(inner(tokens[j])) <= wrapReach) {
			j++
		}
		if j > i {
			s.chain(tokens[i : j+1])
			i = j - 1
		}
	}
}

// maxMembers bounds the members over which a secret is split.
const maxMembers = 8

func (s *search) chain(tokens []result.Token) {
	var text []byte
	var starts, cuts, skipped []int // of each token in text; and what of it is left out in front
	for i, t := range tokens {
		part := []byte(result.Unquote(s.result.Raw[t.Start:t.End]))
		skip := 0
		if i == 0 {
			skip = max(len(part)-wrapReach, 0)
			part = part[skip:]
		}
		part = part[:min(len(part), wrapReach)]
		if i > 0 {
			cuts = append(cuts, len(text))
		}
		starts, skipped = append(starts, len(text)), append(skipped, skip)
		text = append(text, part...)
	}
	s.work += len(text)
	for _, m := range s.scan(string(text)) {
		if !s.splits(m, text, cuts...) {
			continue
		}
		var edits []result.Edit
		put := marker(m)
		for i, t := range tokens {
			end := len(text)
			if i+1 < len(tokens) {
				end = starts[i+1]
			}
			if from, to := max(m.Start, starts[i]), min(m.End, end); from < to {
				at := skipped[i] - starts[i]
				edits = append(edits, s.result.ReplaceText(t, from+at, to+at, put))
				put = ""
			}
		}
		s.add(m, edits)
	}
}

// isPiece reports whether a text ends, or begins, with what may be a piece of a token: some characters without a space, and
// not a word.
func isPiece(text []byte, atEnd bool) bool { return piece(text, atEnd) > 0 }

// piece is the length of such a piece, or 0.
func piece(text []byte, atEnd bool) int {
	n, digits, capitals, small := 0, 0, 0, 0
	for i := range text {
		c := text[i]
		if atEnd {
			c = text[len(text)-1-i]
		}
		if !inPiece[c] {
			break
		}
		n++
		switch {
		case '0' <= c && c <= '9':
			digits++
		case 'A' <= c && c <= 'Z':
			capitals++
		case 'a' <= c && c <= 'z':
			small++
		}
	}
	if !atEnd && n >= 8 && text[4] == '-' && text[7] == '-' && '0' <= text[0] && text[0] <= '9' {
		return 0 // the date in a line of a log
	}
	if n < minPiece || (digits == 0 || capitals+small == 0) && (capitals < 2 || small < 2) {
		return 0
	}
	return n
}

// inPiece are the characters of tokens.
var inPiece = func() (is [256]bool) {
	for _, c := range []byte(base64Chars + "-_=.~") {
		is[c] = true
	}
	return is
}()
