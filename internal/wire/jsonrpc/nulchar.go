// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import "strings"

// HoldsNUL reports whether a reader in C would see only a part of s.
func HoldsNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }

// NULError refuses a part of a message that holds U+0000.
func NULError(code int, what string) *Error {
	return &Error{Code: code, Message: what + " holds U+0000: readers in C end the text there"}
}
