// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sse reads and writes server-sent events (HTML Living Standard, section 9.2) for MCP's
// Streamable HTTP.
//
// [Reader] returns every byte of a stream, so that a proxy can change the data of one event and keep
// all other events, comments and keep-alives.
package sse

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
)

// ContentType is the media type of a stream of events.
const ContentType = "text/event-stream"

// KeepAlive is a comment that keeps a stream alive.
const KeepAlive = ":\n\n"

// An Event is one event of a stream, or a comment or blank line between two events.
type Event struct {
	Type     string        // "" means "message"
	Data     []byte        // the lines of data, joined with \n; nil: the event has none
	ID       string        // with HasID, the event to resume after; "" resets it
	HasID    bool          // the event has a field id
	Retry    time.Duration // with HasRetry, how long to wait before reconnecting
	HasRetry bool          // the event has a field retry

	// Raw is the original text of the event with its end. The Raws of all events make up the stream.
	// Append ignores Raw.
	Raw []byte
}

// errField reports a field that a stream cannot represent.
var errField = errors.New("sse: an event's type and id hold no line ends, and an id no NUL")

// Append appends e to dst. A stream cannot represent a carriage return in Data; it becomes a line feed.
// A line end in Type or ID is an error, and dst stays unchanged.
func Append(dst []byte, e Event) ([]byte, error) {
	if strings.ContainsAny(e.Type, "\r\n") || strings.ContainsAny(e.ID, "\r\n\x00") {
		return dst, errField
	}
	if e.HasID {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if e.HasRetry {
		dst = append(strconv.AppendInt(append(dst, "retry: "...), max(0, e.Retry.Milliseconds()), 10), '\n')
	}
	if e.Type != "" {
		dst = append(append(append(dst, "event: "...), e.Type...), '\n')
	}
	if e.Data != nil {
		dst = appendData(dst, e.Data, "\n")
	}
	return append(dst, '\n'), nil
}

// appendData appends data as fields, each with a line end.
func appendData(dst, data []byte, end string) []byte {
	for more := true; more; {
		var line []byte
		line, data, more = cutLine(data)
		dst = append(append(append(dst, "data: "...), line...), end...)
	}
	return dst
}

// cutLine cuts data around its first CRLF, CR or LF.
func cutLine(data []byte) (line, rest []byte, found bool) {
	i := lineEnd(data)
	if i < 0 {
		return data, nil, false
	}
	return data[:i], data[i+endLen(data[i:]):], true
}

// lineEnd returns the place of the first CR or LF, or -1.
func lineEnd(b []byte) int { return bytes.IndexAny(b, "\r\n") }

// endLen returns the length of the line end at the start of b.
func endLen(b []byte) int {
	if len(b) > 1 && b[0] == '\r' && b[1] == '\n' {
		return 2
	}
	return 1
}

// WithData returns Raw with its data replaced, or removed if data is nil. An event without data stays
// unchanged. Every other line, and the kind of line ends, stay.
func (e Event) WithData(data []byte) []byte {
	if e.Data == nil {
		return e.Raw
	}
	out := make([]byte, 0, len(e.Raw)+len(data)-len(e.Data))
	put := false
	for rest := e.Raw; len(rest) > 0; {
		line, after, _ := cutLine(rest)
		whole := rest[:len(rest)-len(after)]
		rest = after
		switch name, _ := cutField(trimBOM(line)); {
		case string(name) != "data":
			out = append(out, whole...)
		case !put:
			put = true
			out = append(out, line[:len(line)-len(trimBOM(line))]...)
			if data == nil {
				continue
			}
			out = appendData(out, data, string(whole[len(line):]))
		}
	}
	return out
}

// Plain returns e without comments and fields, other than data, that hold a character at which some
// readers end a line, such as splitlines of Python. They would find events of their own there. In data,
// such a character stands inside a string of JSON and hides no message.
func (e Event) Plain() Event {
	if !splits(e.Raw) {
		return e
	}
	out := make([]byte, 0, len(e.Raw))
	for rest := e.Raw; len(rest) > 0; {
		line, after, _ := cutLine(rest)
		if name, _ := cutField(trimBOM(line)); string(name) == "data" || !splits(line) {
			out = append(out, rest[:len(rest)-len(after)]...)
		}
		rest = after
	}
	e.Raw = out
	if splits([]byte(e.ID)) {
		e.ID, e.HasID = "", false
	}
	return e
}

// splits reports whether text holds a line end beside CR and LF.
func splits(text []byte) bool {
	if bytes.ContainsAny(text, "\v\f\x1c\x1d\x1e") {
		return true
	}
	for _, end := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(text, []byte(end)) {
			return true
		}
	}
	return false
}

// Torn returns the event in which a stream ended, as if it were complete, because some readers accept
// it. Raw comes from [Reader.Next] with [io.ErrUnexpectedEOF].
func Torn(raw []byte) (Event, error) {
	whole := append(bytes.Clone(raw), "\n\n"...)
	return NewReader(bytes.NewReader(whole), len(whole)).Next()
}

// cutField splits a line into name and value.
func cutField(line []byte) (name, value []byte) {
	name, value, _ = bytes.Cut(line, []byte(":"))
	return name, bytes.TrimPrefix(value, []byte(" "))
}

// trimBOM removes the byte order mark at the start of a stream. Elsewhere it makes the name of a field
// unknown.
func trimBOM(line []byte) []byte { return bytes.TrimPrefix(line, []byte("\uFEFF")) }
