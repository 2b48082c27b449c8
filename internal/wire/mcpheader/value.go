// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpheader mirrors a message of MCP 2026-07-28 in the headers of its HTTP request, and
// compares the two (basic/transports/streamable-http, Request Metadata; SEP-2243).
package mcpheader

import (
	"encoding/base64"
	"strings"
)

// The headers of a request.
const (
	Version = "Mcp-Protocol-Version" // the revision of MCP
	Method  = "Mcp-Method"           // the method
	Name    = "Mcp-Name"             // params.name, or params.uri
	Param   = "Mcp-Param-"           // before the name of an argument's header
)

// The sentinel around a value in Base64.
const (
	sentinelStart = "=?base64?"
	sentinelEnd   = "?="
)

// Encode returns the form of a value in a header: itself if it is visible ASCII with spaces and tabs
// inside, else its UTF-8 in Base64 between the marks of the sentinel.
func Encode(value string) string {
	if plain(value) && !isSentinel(value) {
		return value
	}
	return sentinelStart + base64.StdEncoding.EncodeToString([]byte(value)) + sentinelEnd
}

func plain(value string) bool {
	if value == "" {
		return true
	}
	for i := range len(value) {
		if c := value[i]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return strings.Trim(value, " \t") == value
}

// Decode returns the value in a header, and whether it is well formed. It accepts plain values outside
// ASCII, because some clients send them.
func Decode(header string) (value string, ok bool) {
	if !isSentinel(header) {
		return header, true
	}
	text := header[len(sentinelStart) : len(header)-len(sentinelEnd)]
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return "", false
	}
	return string(decoded), true
}

func isSentinel(s string) bool {
	return len(s) >= len(sentinelStart)+len(sentinelEnd) &&
		strings.HasPrefix(s, sentinelStart) && strings.HasSuffix(s, sentinelEnd)
}
