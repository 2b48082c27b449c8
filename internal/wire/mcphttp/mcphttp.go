// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package mcphttp has the common parts of all doors over HTTP: media types, headers that must not
// repeat, bounded bodies, answers with deadlines, and the life of a server.
package mcphttp

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// Headers and media types of Streamable HTTP.
const (
	SessionID   = "Mcp-Session-Id" // of sessions, up to 2025-11-25
	LastEventID = "Last-Event-Id"  // of a stream that is resumed

	JSON   = "application/json"
	Events = "text/event-stream"
)

// ContentType returns the media type in a header, without parameters, in lower case. It returns "" for
// JSON in a charset other than UTF-8, which is no JSON (RFC 8259, section 8.1).
func ContentType(h http.Header) string {
	t, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if charset := params["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return t
}

// Encoded reports whether a body is compressed or encoded in another way.
func Encoded(h http.Header) bool {
	e := h.Get("Content-Encoding")
	return e != "" && !strings.EqualFold(e, "identity")
}

// Ambiguous names a header that two readers could understand differently; "" if there is none. A header
// that occurs twice has two values. Servers behind CGI and the like read "Mcp-Session_Id" as the header
// Mcp-Session-Id.
func Ambiguous(h http.Header) string {
	seen := map[string]bool{}
	for name, values := range h {
		ours := strings.HasPrefix(name, "Mcp-")
		if len(values) > 1 && (ours || name == "Content-Type" || name == "Content-Encoding" || name == LastEventID) {
			return fmt.Sprintf("the header %s is given more than once", name)
		}
		if !ours {
			continue
		}
		plain := mcpheader.Plain(name)
		switch {
		case seen[plain]:
			return "two of the headers Mcp-… are one to servers that read all signs in a name alike"
		case plain != name && !strings.HasPrefix(name, mcpheader.Param):
			return "a header Mcp-… has a name with signs other than letters, digits and hyphens, which servers could take for another"
		}
		seen[plain] = true
	}
	return ""
}

// Accepts reports whether a request accepts a media type.
func Accepts(h http.Header, kind string) bool {
	major, _, _ := strings.Cut(kind, "/")
	for _, value := range h.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case kind, major + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// Prefers reports whether the header Accept names one type before another. The order has no meaning in
// HTTP (RFC 9110, section 12.5.1), but it is the only hint from a client that accepts both.
func Prefers(h http.Header, kind, other string) bool {
	accept := strings.ToLower(strings.Join(h.Values("Accept"), ","))
	i, j := strings.Index(accept, kind), strings.Index(accept, other)
	return i >= 0 && (j < 0 || i < j)
}
