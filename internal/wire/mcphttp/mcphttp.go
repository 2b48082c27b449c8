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

// Repeated names a header that occurs more than once, because two readers could use different values;
// "" if there is none.
func Repeated(h http.Header) string {
	for name, values := range h {
		if len(values) > 1 && (strings.HasPrefix(name, "Mcp-") || name == "Content-Type" || name == "Content-Encoding" || name == LastEventID) {
			return fmt.Sprintf("the header %s is given more than once", name)
		}
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
