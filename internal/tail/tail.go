// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package tail keeps the end of a server's standard error, to quote it when the server fails.
package tail

import (
	"io"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of what is kept: bytes, and lines of so many characters.
const (
	maxBytes = 4 << 10
	maxLines = 8
	maxWidth = 200
)

// A Writer keeps the end of its input, and passes everything on to Next unless it is nil. It is safe for concurrent use.
type Writer struct {
	Next io.Writer

	mu  sync.Mutex
	end []byte
}

func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.end = append(w.end, p[max(0, len(p)-maxBytes):]...)
	w.end = w.end[max(0, len(w.end)-maxBytes):]
	w.mu.Unlock()
	if w.Next != nil {
		return w.Next.Write(p)
	}
	return len(p), nil
}

// reason matches the line in which programs of several languages tell why they end. Node.js and Python print a stack below or
// above it.
var reason = lazyregexp.New(`^([A-Za-z_.]*(Error|Exception|Panic)\b|error:|fatal:|panic:|npm error [^A])`)

// Lines returns the last lines, without empty ones. If the reason for the end stands above them, it is the first.
func (w *Writer) Lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(w.end)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, strictjson.Printable(line, maxWidth))
		}
	}
	first := max(0, len(lines)-maxLines)
	for _, line := range lines[:first] {
		if reason.MatchString(line) {
			return append([]string{line, "…"}, lines[first+2:]...)
		}
	}
	return lines[first:]
}
