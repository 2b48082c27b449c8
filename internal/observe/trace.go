// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package observe holds what observers of calls share: the trace of a request, and how they learn which policy is in
// force.
package observe

import (
	"context"
	"strings"
)

// The members of _meta that carry a trace and its baggage. MCP exempts them from the need for a prefix (SEP-414).
const (
	Traceparent = "traceparent"
	Tracestate  = "tracestate"
	Baggage     = "baggage"
)

// TraceID returns the trace id in a request's _meta (W3C Trace Context, section 3.2), or "" without a valid one.
func TraceID(meta map[string]any) string {
	text, _ := meta[Traceparent].(string)
	if len(text) < 55 || len(text) > 512 {
		return ""
	}
	version, id, parent, flags := text[:2], text[3:35], text[36:52], text[53:55]
	switch {
	case text[2] != '-' || text[35] != '-' || text[52] != '-':
	case !isHex(version) || !isHex(id) || !isHex(parent) || !isHex(flags):
	case version == "ff" || zeros(id) || zeros(parent):
	case len(text) > 55 && (version == "00" || text[55] != '-'):
	default:
		return id
	}
	return ""
}

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }

func zeros(text string) bool { return strings.Trim(text, "0") == "" }

// Silent is the part of a span that exports nothing: it has this trace id, and no parent for other spans.
type Silent string

// TraceID returns the id.
func (s Silent) TraceID() string { return string(s) }

// Traceparent returns "".
func (Silent) Traceparent() string { return "" }

// Context returns ctx.
func (Silent) Context(ctx context.Context) context.Context { return ctx }
