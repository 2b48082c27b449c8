// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/secrets"
)

// A call of a service may carry data away, or have the service fetch an address. These functions look at every text of a value,
// and at the names of members: a side member goes out as well.
const (
	holdsKeyFunction  = "holdsKey"
	holdsLinkFunction = "holdsLink"
)

// holds returns whether a text of a value is of a kind. A value that can't be read is an error, because a text may be in it.
func holds(kind func(string) bool) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		found := false
		if err := eachText(v, func(s string) { found = found || kind(s) }); err != nil {
			return err
		}
		return types.Bool(found)
	}
}

// eachText returns nil, an error or an unknown.
func eachText(v ref.Val, see func(string)) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	switch v := v.(type) {
	case types.String:
		see(string(v))
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if err := eachText(key, see); err != nil {
				return err
			}
			if err := eachText(v.Get(key), see); err != nil {
				return err
			}
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if err := eachText(it.Next(), see); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	issued    = lazy.Pair(func() (*secrets.Scanner, error) { return secrets.New(secrets.Options{}) })
	rows      = lazyregexp.New(`[A-Za-z0-9+=_-]{32}|(^|[^A-Za-z0-9+/])[A-Za-z0-9+/]{40}([^A-Za-z0-9+/]|$)`)
	rowsInURL = lazyregexp.New(`^[^?#]*[A-Za-z0-9_=]{41}|[?#].*[A-Za-z0-9+/=_%]{32}|^[a-z]+://([^/?#]*[^A-Za-z0-9])?[A-Za-z0-9_]{32}`)
	short     = lazyregexp.New(`(^|[^A-Za-z0-9])(gh[oprsu]_|github_pat_|xox[a-z]-|[rs]k[_-](live|test|proj|ant)|glpat-|A[KS]IA|AIza)[A-Za-z0-9_-]{16}`)
	squeezed  = lazyregexp.New(`(gh[oprsu]|githubpat|npm)[A-Za-z0-9]{36}|A[KS]IA[A-Z0-9]{16}|AIza[A-Za-z0-9]{30}|xox[abeoprs][A-Za-z0-9]{20,}|glpat[A-Za-z0-9]{20}|[rs]k(live|test|proj|ant)[A-Za-z0-9]{16}`)
	spaced    = lazyregexp.New(`(gh[oprsu]_|github_pat_)[A-Za-z0-9]{36}|A[KS]IA[A-Z0-9]{16}`)
	foreign   = lazyregexp.New(`%[89A-Fa-f][0-9A-Fa-f]`) // of letters beyond ASCII
	uuid      = lazyregexp.New(`[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`)
)

// holdsKey reports a key: one of a known issuer, or a row of letters and digits that is too long for a word, also percent-encoded
// or broken by signs. Blanks break all but two kinds of keys. An address may hold more than a sentence: the hash of a commit, a UUID.
func holdsKey(text string) bool {
	plain := fold(text)
	if ofIssuer(text) || ofIssuer(plain) || slices.ContainsFunc(spaced.FindAllString(strings.Join(strings.Fields(plain), ""), -1), random) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(foreign.ReplaceAllString(text, "")), row) || plain != text && slices.ContainsFunc(strings.Fields(plain), row)
}

func ofIssuer(text string) bool {
	scanner, err := issued()
	return err != nil || short.MatchString(text) ||
		slices.ContainsFunc(scanner.Scan(text), func(m secrets.Match) bool { return !secrets.Generic(m.Pattern) })
}

// row reports a long row in a word.
func row(word string) bool {
	address := strings.Contains(word, "://")
	if address {
		if rowsInURL.MatchString(word) {
			return true
		}
		word = uuid.ReplaceAllString(word, "/")
		_, host, _ := strings.Cut(word, "://")
		if end := strings.IndexAny(host, "/?#"); end >= 0 {
			host = host[:end]
		}
		if dense(squeeze(host, false), 32, 9) {
			return true
		}
	} else if rows.MatchString(word) && strings.ContainsAny(word, "0123456789") {
		return true
	}
	s := squeeze(word, address)
	if slices.ContainsFunc(squeezed.FindAllString(s, -1), random) {
		return true
	}
	if address {
		return dense(s, 41, 15)
	}
	return dense(s, 32, 8)
}

// squeeze returns the letters and digits of a word, without a piece such as the hash of a commit.
func squeeze(word string, address bool) string {
	var b strings.Builder
	for piece := range strings.FieldsFuncSeq(word, func(r rune) bool { return class(r) == 0 }) {
		if !address || len(piece) < 32 {
			b.WriteString(piece)
		}
	}
	return b.String()
}

// random reports whether a text has digits here and there, as no word has.
func random(s string) bool { return dense(s, min(len(s), 36), min(len(s), 36)/5) }

// dense reports a stretch of n letters and digits in which they change often, between small letters, capitals and digits.
func dense(s string, n, changes int) bool {
	digits, changed := 0, 0
	count := func(i, by int) {
		if class(rune(s[i])) == digit {
			digits += by
		}
		if i > 0 && class(rune(s[i])) != class(rune(s[i-1])) {
			changed += by
		}
	}
	for i := range len(s) {
		count(i, 1)
		if i >= n {
			count(i-n, -1)
		}
		if i >= n-1 && digits >= 2 && changed >= changes {
			return true
		}
	}
	return false
}

const digit = 3

// class is that of a letter or digit of ASCII, or 0.
func class(r rune) int {
	switch {
	case r >= 'a' && r <= 'z':
		return 1
	case r >= 'A' && r <= 'Z':
		return 2
	case r >= '0' && r <= '9':
		return digit
	}
	return 0
}

var (
	plainLinks = lazyregexp.New(`(?i)://|\b(https?|ftps?|sftp|wss?|file|gopher|ldaps?|ssh|telnet|dict|tftp|jar|ipfs|magnet):(/|[?]xt=)|\bhttps?:[\pL\d\[]|(^|[\s"'(=,;])//[\pL\d_-]+[.:/]|\bwww\d?[.][\pL\d-]|\[[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*\](:\d+)?[/?#]`)
	// A name with a dot is a link if a path, a query or such a fragment follows.
	names = lazyregexp.New(`(?i)[\pL\d_-][.](\pL[\pL\pM]+|xn--[a-z0-9-]+)[.]?(:\d{1,5})?(/|[?][^\s?!.,;:)\]}>*_'"` + "`" + `]|#\w*=)`)
	// A network such as 10.0.0.0/8 leads nowhere.
	addresses = lazyregexp.New(`\b\d{1,3}([.]\d{1,3}){3}[.]?((:\d{1,5})?(/(\d{1,2}[^\s\d.,;:)\]}"']|[^\s\d]|\d{3})|[?#]\w)|:\d{1,5}/)`)
)

// endings are those of files that are no top-level domains.
var endings = []string{
	"js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "css", "scss", "json", "yaml", "yml", "toml", "xml", "html", "txt", "vue", "svelte",
	"php", "java", "kt", "cpp", "hpp", "cs", "rb", "go", "lock", "conf", "ini", "csv", "png", "svg", "jpg", "gif", "pdf",
}

// holdsLink reports an address of the web, also percent-encoded, in wide signs, without a scheme or with half of one. A bare name is none.
func holdsLink(text string) bool {
	for _, s := range []string{text, fold(text)} {
		if plainLinks.MatchString(s) || addresses.MatchString(s) {
			return true
		}
		for _, found := range names.FindAllStringSubmatch(s, -1) {
			if !slices.Contains(endings, strings.ToLower(found[1])) {
				return true
			}
		}
	}
	return false
}

// looks are signs that readers take for those of an address.
var looks = strings.NewReplacer(
	"\u2024", ".", "\ufe52", ".", "\u3002", ".", "\uff61", ".", "\u2044", "/", "\u2215", "/", "\u29f8", "/", "\\", "/",
	"\ufe55", ":", "\u2236", ":", "\ua789", ":", "\u02d0", ":", "\ufe56", "?",
)

// fold returns a text as a lenient reader of addresses has it: percent-decoded, with wide letters and look-alikes as plain ones, without
// what can't be seen.
func fold(text string) string {
	for range 3 {
		decoded := unescape(text)
		if decoded == text {
			break
		}
		text = decoded
	}
	return looks.Replace(strings.Map(func(r rune) rune {
		switch {
		case r >= '\uff01' && r <= '\uff5e':
			return r - 0xfee0
		case r == '\u00ad', r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u206f', r == '\ufeff', r >= '\ufe00' && r <= '\ufe0f', r >= 0xe0000 && r <= 0xe0fff:
			return -1
		}
		return r
	}, text))
}

// unescape decodes each %41 and each \u0041 of a JSON text once, and leaves the others.
func unescape(s string) string {
	if !strings.Contains(s, "%") && !strings.Contains(s, `\u`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], `\u`) && i+6 <= len(s) {
			if r, err := strconv.ParseUint(s[i+2:i+6], 16, 32); err == nil {
				b.WriteRune(rune(r))
				i += 5
				continue
			}
		}
		if s[i] == '%' && i+2 < len(s) {
			if high, low := hex(s[i+1]), hex(s[i+2]); high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
