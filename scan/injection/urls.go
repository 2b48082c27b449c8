// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// checkURL judges a URL that stands at a span of the original text. The text of an image's URL
// goes out when the image is shown; nobody need click.
func (s *scanner) checkURL(raw string, start, end int, image bool) {
	s.steps += len(raw)
	scheme, rest, _ := strings.Cut(raw, ":")
	switch strings.ToLower(strings.TrimSpace(scheme)) {
	case "javascript", "vbscript":
		if runs(rest, steals) {
			s.report(kindLinkURL, "script-url", start, end, enough)
		}
	case "data":
		if strings.HasPrefix(strings.ToLower(rest), "text/html") {
			s.report(kindLinkURL, "html-url", start, end, enough)
		}
	case "http", "https":
		if rule := carries(raw); image && rule != "" {
			s.report(kindImageURL, rule, start, end, 70)
		}
	}
}

// runs tells whether the script of a URL reaches what is not its page's own: a request, a cookie, other code. The buttons of most
// pages have scripts that do nothing, print or go back.
func runs(script string, words []string) bool {
	if text, err := url.PathUnescape(script); err == nil {
		script = text
	}
	script = strings.ToLower(script)
	for _, word := range words {
		if strings.Contains(script, word) {
			return true
		}
	}
	return false
}

// steals are words of scripts that take something away, and acts those of others that a link in a document has no use for.
var (
	steals = []string{"fetch", "xmlhttp", "beacon", "cookie", "storage", "clipboard", "eval(", "atob", "import(", "new image", "websocket"}
	acts   = []string{"document.write", "innerhtml", "location", "src", "http", "submit", "alert", "function(", "shell", "execute", "post"}
)

// carries names the feature of a URL's query that shows the theft of a text: a placeholder for
// something private, or words.
func carries(raw string) string {
	_, query, ok := strings.Cut(raw, "?")
	if !ok {
		return ""
	}
	query, _, _ = strings.Cut(query, "#")
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if text, err := url.QueryUnescape(value); err == nil {
			value = text
		}
		switch {
		case placeholder(value) && (private(value) || carrier[strings.ToLower(key)]):
			return "placeholder"
		case carrier[strings.ToLower(key)] && sentenceWords(value) >= 6:
			return "words"
		case encodedWords(value):
			return "encoded-words"
		}
	}
	return ""
}

// carrier are the names that parameters for stolen text have.
var carrier = map[string]bool{
	"q": true, "d": true, "c": true, "data": true, "msg": true, "payload": true, "content": true, "info": true,
	"secret": true, "secrets": true, "conversation": true, "history": true, "chat": true, "leak": true, "exfil": true,
	"steal": true, "stolen": true, "log": true, "prompt": true, "context": true,
}

// placeholder tells whether a value is to be filled in.
func placeholder(value string) bool {
	if len(value) >= 4 && strings.ToUpper(value) == value && strings.ToLower(value) != value && strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_- ") == "" {
		return true
	}
	for _, marks := range [][2]string{{"{", "}"}, {"[", "]"}, {"<", ">"}, {"${", "}"}} {
		if strings.HasPrefix(value, marks[0]) && strings.HasSuffix(value, marks[1]) && !strings.ContainsAny(value, `:'"`) {
			return true
		}
	}
	return false
}

// private tells whether a value names what is nobody else's business.
func private(value string) bool {
	value = strings.ToLower(value)
	for _, word := range []string{"conversation", "history", "chat", "secret", "password", "token", "api_key", "apikey", "api-key", "credential", "prompt", "context", "memory", "message", "email", "user", "data", "summary", "env"} {
		if strings.Contains(value, word) {
			return true
		}
	}
	return false
}

// sentenceWords counts the words of a value that is no URL, and none that letters and digits without a space make up.
func sentenceWords(value string) int {
	if strings.Contains(value, "://") && !strings.ContainsAny(value, " \n") || strings.IndexFunc(value, func(r rune) bool { return byteClass[byte(r)]&inWord == 0 }) < 0 {
		return 0
	}
	return countWords(value, 6)
}

// encodedWords tells whether a value is base64 of words.
func encodedWords(value string) bool {
	if len(value) < minBase64 || len(value) > maxURL {
		return false
	}
	text, ok := fromBase64(value)
	return ok && countWords(text, 3) >= 3 && strings.Count(text, " ") >= 2
}

// leadsElsewhere tells whether a link's text is the URL of another site than it leads to.
func leadsElsewhere(label, target string) bool {
	label = strings.TrimSpace(label)
	if !strings.HasPrefix(label, "https://") && !strings.HasPrefix(label, "http://") || strings.ContainsAny(label, " \n") {
		return false
	}
	said, err1 := url.Parse(label)
	leads, err2 := url.Parse(target)
	if err1 != nil || err2 != nil || leads.Host == "" || said.Host == "" {
		return false
	}
	return site(said.Hostname()) != site(leads.Hostname())
}

// site returns the last two labels of a host's name.
func site(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(len(labels)-2, 0):], ".")
}

// fromBase64 decodes base64 of either alphabet, with or without padding, to text.
func fromBase64(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	head := s[:min(len(s), 16)]
	if raw, err := alphabetOf(head).DecodeString(head); err != nil && len(head) == 16 || !printable(string(raw)) {
		return "", false
	}
	enc := alphabetOf(s)
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	raw, err := enc.DecodeString(s)
	if err != nil || !printable(string(raw)) {
		return "", false
	}
	return string(raw), true
}

func alphabetOf(s string) *base64.Encoding {
	if strings.IndexByte(s, '-') >= 0 || strings.IndexByte(s, '_') >= 0 {
		return base64.RawURLEncoding
	}
	return base64.RawStdEncoding
}

// printable tells whether a text is ASCII that one can read, but for one byte in twenty.
func printable(text string) bool {
	odd := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' || c > '~' {
			odd++
		}
	}
	return len(text) > 0 && odd*20 <= len(text)
}
