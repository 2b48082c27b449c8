// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package fast

import "errors"

// A message is a list of fields: for each its length, in 8 bytes, and its bytes; the number of fields stands in front, in 8 bytes. It has no need of
// encoding/json, which this package must not import.

const sizeLength = 8

// errCut reports a message that is cut off, or none.
var errCut = errors.New("the message is cut off")

// Message makes a message of fields.
func Message(fields ...string) []byte {
	b := appendSize(nil, len(fields))
	for _, f := range fields {
		b = append(appendSize(b, len(f)), f...)
	}
	return b
}

// Fields returns the fields of a message.
func Fields(message []byte) ([]string, error) {
	n, rest, ok := size(message)
	if !ok || n > len(rest)/sizeLength {
		return nil, errCut
	}
	fields := make([]string, 0, n)
	for range n {
		length, text, ok := size(rest)
		if !ok || length > len(text) {
			return nil, errCut
		}
		fields = append(fields, string(text[:length]))
		rest = text[length:]
	}
	if len(rest) > 0 {
		return nil, errCut
	}
	return fields, nil
}

func appendSize(b []byte, n int) []byte {
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte(uint64(n)>>shift))
	}
	return b
}

func size(b []byte) (n int, rest []byte, ok bool) {
	if len(b) < sizeLength {
		return 0, nil, false
	}
	var u uint64
	for _, c := range b[:sizeLength] {
		u = u<<8 | uint64(c)
	}
	if u > 1<<31 {
		return 0, nil, false
	}
	return int(u), b[sizeLength:], true
}
