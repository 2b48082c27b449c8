// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"net/http"
	"net/url"
	"strings"
)

// maxToken is the length of the longest token, in bytes: twice as much as many servers accept for all headers
// together.
const maxToken = 16 << 10

// bearer returns the token in the header of a request (RFC 6750, section 2.1). It does not accept the other two ways:
// a token in a query ends up in logs, and the body is not ours to read.
func bearer(req *http.Request) (string, *refusal) {
	if hasToken(req.URL.RawQuery) {
		return "", malformed("a token in the URL is in logs by now: send it in the header Authorization, and revoke this one")
	}
	values := req.Header.Values("Authorization")
	switch {
	case len(values) == 0:
		return "", missing("the request shows no token")
	case len(values) > 1:
		return "", malformed("the request has several headers Authorization")
	}
	return credentials(values[0])
}

// credentials reads the value of the header.
func credentials(value string) (string, *refusal) {
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", missing("the scheme of the header Authorization is not Bearer")
	}
	token = strings.TrimLeft(token, " ")
	switch {
	case !IsToken(token):
		return "", malformed("the header Authorization is not Bearer and a token")
	case len(token) > maxToken:
		return "", invalid("the token is longer than 16 KiB")
	}
	return token, nil
}

// IsToken reports whether s has the form of a bearer token (RFC 6750, section 2.1: b64token).
func IsToken(s string) bool {
	body := strings.TrimRight(s, "=")
	return body != "" && !strings.ContainsFunc(body, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~+/", r)
	})
}

// hasToken reports whether a query has the parameter access_token, however it is escaped. A malformed query is
// searched as plain text.
func hasToken(query string) bool {
	for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if name == "access_token" {
			return true
		}
	}
	return false
}
