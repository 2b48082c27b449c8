// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"time"
)

// isURI accepts URI of RFC 3986 §3: with a scheme, and ASCII only.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !isScheme(scheme) {
		return false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if !isURIText(fragment, "/?:@") || !isURIText(query, "/?:@") {
		return false
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		authority, path := after, ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			authority, path = after[:i], after[i:]
		}
		return isAuthority(authority) && isURIText(path, "/:@")
	}
	return isURIText(rest, "/:@")
}

func isScheme(s string) bool {
	if s == "" || !isAlnum(s[0]) || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("+-.", s[i]) < 0 {
			return false
		}
	}
	return true
}

func isAuthority(s string) bool {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if !isURIText(s[:i], ":") {
			return false
		}
		s = s[i+1:]
	}
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		host, port = s[:i], s[i+1:]
	}
	if !allDigits(port) {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && (isIPv6(inner) || isIPvFuture(inner))
	}
	return isURIText(host, "")
}

// isIPvFuture accepts IPvFuture of RFC 3986 §3.2.2.
func isIPvFuture(s string) bool {
	version, rest, ok := strings.Cut(s, ".")
	if !ok || len(version) < 2 || version[0] != 'v' && version[0] != 'V' || rest == "" {
		return false
	}
	for i := range len(version[1:]) {
		if !isHex(version[1+i]) {
			return false
		}
	}
	return !strings.Contains(rest, "%") && isURIText(rest, ":")
}

// isURIText accepts unreserved and sub-delims characters, percent-encoded
// octets, and those of extra.
func isURIText(s, extra string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 2
			continue
		}
		if !isAlnum(c) && strings.IndexByte("-._~!$&'()*+,;=", c) < 0 && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isUUID accepts UUID of RFC 4122 §3.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

// isJSONPointer accepts a JSON Pointer in its string form, RFC 6901 §5.
func isJSONPointer(s string) bool {
	if s == "" {
		return true
	}
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	return s[0] == '/' && !strings.Contains(rest, "~")
}

// isRegex accepts what one of the two pattern engines accepts.
func isRegex(s string) bool {
	_, err := compilePattern(s, time.Second)
	return err == nil
}
