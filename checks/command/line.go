// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// read splits a command line into its commands, and reports the characters that a shell would act
// on.
func (j *judge) read(text string) []simple {
	if strings.Trim(text, " \t\n") == "" {
		j.fail(-1, "is empty: the first word must be the program", "")
		return nil
	}
	j.encoded(text)
	switch j.shell {
	case "powershell", "cmd":
		return j.windows(text)
	case "none":
		return j.split(text)
	}
	if words, plain := plainWords(text); plain {
		return []simple{{words: words, directory: j.directory}}
	}
	return j.parse(text)
}

// encoded refuses shell-active characters that are written in percent-encoding: some
// server on the way decodes them. A single one in a URL's query is that URL's own.
func (j *judge) encoded(text string) {
	if strings.IndexByte(text, '%') < 0 {
		return
	}
	for _, word := range fieldsBy(text, " \t\n") {
		isURL := contains(word, "://")
		active := 0
		for i := 0; i+2 < len(word); i++ {
			if word[i] != '%' {
				continue
			}
			c, ok := unhex(word[i+1], word[i+2])
			for ok && c == '%' && i+4 < len(word) { // encoded twice: %250a
				i += 2
				c, ok = unhex(word[i+1], word[i+2])
			}
			switch {
			case !ok:
			case c == '\n' || c == '\r' || c == 0:
				j.refuse(-1, newline, "holds a percent-encoded line break or NUL")
				return
			case strings.IndexByte(";|&`$", c) >= 0:
				active++
			}
		}
		if active > 1 || active == 1 && !isURL && !strings.ContainsAny(word, `'"`) {
			j.refuse(-1, list, "holds percent-encoded characters that a shell acts on")
			return
		}
	}
}

func unhex(high, low byte) (byte, bool) {
	h, l := strings.IndexByte(hexDigits, high|0x20), strings.IndexByte(hexDigits, low|0x20)
	if h < 0 || l < 0 {
		return 0, false
	}
	return byte(h<<4 | l), true
}

const hexDigits = "0123456789abcdef"

// plainWords splits a line of nothing but words and quotes without any special character. That is
// most lines, and saves the parser's time.
func plainWords(text string) (words []string, plain bool) {
	words = make([]string, 0, 8)
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\t' {
			i++
			continue
		}
		word, end, ok := plainWord(text, i)
		if !ok || len(words) == 0 && (strings.IndexByte(word, '=') >= 0 || reserved(word)) {
			return nil, false
		}
		words = with(words, word)
		i = end
	}
	return words, len(words) > 0
}

// plainWord reads the word that begins at i.
func plainWord(text string, i int) (word string, end int, ok bool) {
	start, quoted := i, false
	var b builder
	for i < len(text) && text[i] != ' ' && text[i] != '\t' {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			if !quoted {
				b.put(text[start:i])
				quoted = true
			}
			inner, length, ok := plainQuoted(text[i:])
			if !ok {
				return "", 0, false
			}
			b.put(inner)
			i += length
			continue
		case !plainByte(c):
			return "", 0, false
		case quoted:
			b.putByte(c)
		}
		i++
	}
	if !quoted {
		return text[start:i], i, true
	}
	return b.String(), i, true
}

// plainQuoted reads a quoted part, and returns how long it is with its quotes.
func plainQuoted(text string) (inner string, length int, ok bool) {
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return "", 0, false
	}
	inner = text[1 : 1+end]
	if text[0] == '"' && strings.ContainsAny(inner, "$`\\") {
		return "", 0, false
	}
	return inner, end + 2, true
}

// plainByte reports whether a character means itself, wherever it stands in a word.
func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 ||
		strings.IndexByte("_-./:=@%+,", c) >= 0
}

// reserved reports whether a shell takes a first word for its own syntax.
func reserved(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac",
		"function", "select", "coproc", "time", "let", "export", "declare", "local", "readonly", "typeset", "nameref":
		return true
	}
	return false
}

// split reads a line as a server does that splits it by itself, with quotes and
// backslashes, and gives no other character a meaning.
func (j *judge) split(text string) []simple {
	var words []string
	var b builder
	var quote byte
	open := false // a word has begun, perhaps an empty one
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.putByte(text[i])
			open = true
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			if open {
				words = with(words, b.String())
			}
			b.Reset()
			open = false
		default:
			b.putByte(c)
			open = true
		}
	}
	if quote != 0 {
		j.fail(-1, "has a quote that is not closed", "close it, or put the other kind of quotes around it")
		return nil
	}
	if open {
		words = with(words, b.String())
	}
	for i := range words {
		j.operator(-1, i, words)
	}
	return []simple{{words: words}}
}
