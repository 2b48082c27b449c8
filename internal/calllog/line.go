// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"
	"strings"
)

const (
	hashDigits  = 64
	chainDigits = 16
	// maxLine bounds a line for reading, with its line feed. It exceeds the bound of encode by the additions of a
	// recovered line.
	maxLine = maxBody + 64<<10
)

// genesis takes the place of the previous hash in the first record of a chain.
var genesis = strings.Repeat("0", hashDigits)

// A link is the position of a line in its chain.
type link struct {
	chain string // 16 hexadecimal digits
	seq   uint64
	prev  string // hash of the line before
	hash  string // of this line
}

// appendLine appends the line of a record to dst, and returns the line's own link. After is the link of the previous
// line. The members of the chain come last, in this order, so that a reader need not understand the others:
//
//	{…,"chain":"0123456789abcdef","seq":7,"prev":"…","hash":"…"}
//
// The hash covers the line, including the line feed but not the last member.
func appendLine(dst, body []byte, after link, h hash.Hash) ([]byte, link) {
	next := link{chain: after.chain, seq: after.seq + 1, prev: after.hash}
	start := len(dst)
	dst = append(dst, body[:len(body)-1]...)
	dst = append(dst, `,"chain":"`...)
	dst = append(dst, next.chain...)
	dst = append(dst, `","seq":`...)
	dst = strconv.AppendUint(dst, next.seq, 10)
	dst = append(dst, `,"prev":"`...)
	dst = append(dst, next.prev...)
	dst = append(dst, "\"}\n"...)
	next.hash = sum(h, dst[start:])
	dst = append(dst[:len(dst)-2], `,"hash":"`...)
	dst = append(dst, next.hash...)
	return append(dst, "\"}\n"...), next
}

func sum(h hash.Hash, parts ...[]byte) string {
	h.Reset()
	for _, part := range parts {
		h.Write(part) // never fails
	}
	var out [hashDigits / 2]byte
	return hex.EncodeToString(h.Sum(out[:0]))
}

var (
	errNoRecord = errors.New("is not a record of a log of calls")
	errChanged  = errors.New("was changed: its hash does not match its content")
)

// readLink reads the link at the end of a line, which ends with a line feed, and checks the line's hash. With
// errChanged, the link has the values in the line.
func readLink(line []byte, h hash.Hash) (link, error) {
	l, hashed, ok := splitLine(line)
	if !ok {
		return link{}, errNoRecord
	}
	if sum(h, line[:hashed], []byte("}\n")) != l.hash {
		return l, errChanged
	}
	return l, nil
}

// splitLine reads the link from the end of the line, where each member has a fixed place. The first hashed bytes of
// the line are those before the member "hash".
func splitLine(line []byte) (l link, hashed int, ok bool) {
	rest, ok := bytes.CutSuffix(line, []byte("\"}\n"))
	if !ok || line[0] != '{' {
		return l, 0, false
	}
	if rest, l.hash, ok = cutHex(rest, `,"hash":"`, hashDigits); !ok {
		return l, 0, false
	}
	hashed = len(rest)
	if rest, ok = bytes.CutSuffix(rest, []byte(`"`)); !ok {
		return l, 0, false
	}
	if rest, l.prev, ok = cutHex(rest, `,"prev":"`, hashDigits); !ok {
		return l, 0, false
	}
	digits := len(bytes.TrimRight(rest, "0123456789"))
	seq, err := strconv.ParseUint(string(rest[digits:]), 10, 64)
	if err != nil || rest[digits] == '0' {
		return l, 0, false
	}
	l.seq = seq
	if rest, ok = bytes.CutSuffix(rest[:digits], []byte(`","seq":`)); !ok {
		return l, 0, false
	}
	_, l.chain, ok = cutHex(rest, `,"chain":"`, chainDigits)
	return l, hashed, ok
}

// cutHex cuts a key and n hexadecimal digits in lower case from the end of text.
func cutHex(text []byte, key string, n int) (rest []byte, value string, ok bool) {
	at := len(text) - n
	if at < len(key) || string(text[at-len(key):at]) != key {
		return nil, "", false
	}
	for _, c := range text[at:] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return nil, "", false
		}
	}
	return text[:at-len(key)], string(text[at:]), true
}
