// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sse reads and writes server-sent events (HTML Living Standard, section 9.2),
// as MCP's Streamable HTTP uses them.
//
// [Reader] gives back every byte of a stream, so that a proxy can change the data of
// one event and leave all others, comments and keep-alives as they were.
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

// KeepAlive is a comment, which tells only that the stream lives.
const KeepAlive = ":\n\n"

// An Event is one event of a stream, or what stands between two: a comment, a blank
// line.
type Event struct {
	Type     string        // "" means "message"
	Data     []byte        // the lines of data, joined with \n; nil: the event has none
	ID       string        // with HasID, what to resume after; "" forgets the one before
	HasID    bool          // the event has a field id
	Retry    time.Duration // with HasRetry, how long to wait before reconnecting
	HasRetry bool          // the event has a field retry

	// Raw is the event as it was read, with its end. The Raws of all events, one
	// after another, are the stream. Append ignores it.
	Raw []byte
}

// errField is a field that a stream cannot carry.
var errField = errors.New("sse: an event's type and id hold no line ends, and an id no NUL")

// Append appends e to dst. A carriage return in Data cannot be carried: it comes out
// as a line feed. An error says that Type or ID have a line end; then dst is returned
// as it was.
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

// lineEnd is the place of the first CR or LF, or -1.
func lineEnd(b []byte) int { return bytes.IndexAny(b, "\r\n") }

// endLen is the length of the line end that b starts with.
func endLen(b []byte) int {
	if len(b) > 1 && b[0] == '\r' && b[1] == '\n' {
		return 2
	}
	return 1
}

// WithData returns Raw with other data in the place of its own, or, if data is nil, without
// any; an event that has none is returned as it is. Every other line, and the kind of line
// ends, stay.
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

// Torn returns the event that a stream ended in the middle of, as if it had ended after it:
// readers differ in whether they take it. Raw is what [Reader.Next] returned beside
// [io.ErrUnexpectedEOF].
func Torn(raw []byte) (Event, error) {
	whole := append(bytes.Clone(raw), "\n\n"...)
	return NewReader(bytes.NewReader(whole), len(whole)).Next()
}

// cutField is the name and value of a line.
func cutField(line []byte) (name, value []byte) {
	name, value, _ = bytes.Cut(line, []byte(":"))
	return name, bytes.TrimPrefix(value, []byte(" "))
}

// trimBOM removes the byte order mark that a stream may start with. Elsewhere it is
// part of the name of a field, which is then an unknown one.
func trimBOM(line []byte) []byte { return bytes.TrimPrefix(line, []byte("\uFEFF")) }
