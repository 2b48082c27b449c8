// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A HandshakeError is a server that was started and then did not become one to talk to.
type HandshakeError struct{ err error }

func (e *HandshakeError) Error() string { return e.err.Error() }
func (e *HandshakeError) Unwrap() error { return e.err }

// A RefusedError is a request that the server answered with an error.
type RefusedError struct {
	Method  string
	Code    int             // JSON-RPC error code, as the server gives it
	Message string          // the server's, shortened
	Raw     json.RawMessage // the whole error as the server wrote it
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server refuses %s: %s (code %d)", e.Method, e.Message, e.Code)
}

// ErrorCode is the code of the JSON-RPC error.
func (e *RefusedError) ErrorCode() int { return e.Code }

// An UnusableError is an answer of the server that cannot be read.
type UnusableError struct {
	Method string
	Err    error // why
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("the server's answer to %s cannot be used: %v", e.Method, e.Err)
}

func (e *UnusableError) Unwrap() error { return e.Err }

func newRefusedError(method string, raw json.RawMessage) *RefusedError {
	var body struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		body.Message = "its error is malformed"
	}
	return &RefusedError{Method: method, Code: body.Code, Message: strictjson.Printable(body.Message, 200), Raw: raw}
}

// A GoneError is a request that will not be answered, because the server is gone.
type GoneError struct {
	Method string
	Sent   bool // the server may have had the request, and may have done what it asks
	text   string
}

func (e *GoneError) Error() string { return e.text }

func (c *conn) goneError(method string, sent bool) error {
	return &GoneError{method, sent, fmt.Sprintf("%s before it answered %s%s", c.end(), method, c.circumstances())}
}

// end says how the session ended. It waits a moment for the server's exit code.
func (c *conn) end() string {
	if errors.Is(c.why, errStdout) || errors.Is(c.why, errStdin) {
		select {
		case <-c.transport.Done():
			return "the server " + c.transport.Stop(context.Background(), process.Grace{}).String()
		case <-time.After(exitWait):
		}
	}
	return c.why.Error()
}

// contextError says that ctx was done before the answer to method came.
func (c *conn) contextError(ctx context.Context, method string) error {
	err := ctx.Err()
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("waiting for the server's answer to %s: %w", method, err)
	}
	return &lateError{fmt.Sprintf("the server did not answer %s in time%s", method, c.circumstances()), err}
}

// A lateError has its own words for a deadline.
type lateError struct {
	text string
	err  error
}

func (e *lateError) Error() string { return e.text }
func (e *lateError) Unwrap() error { return e.err }

// circumstances is what else is known, for a person to find the cause.
func (c *conn) circumstances() string {
	c.mu.Lock()
	odd := c.odd
	c.mu.Unlock()
	var b strings.Builder
	if odd != "" {
		b.WriteString("; it " + odd)
	}
	if lines := c.stderr.lines(); len(lines) > 0 {
		b.WriteString("; its standard error ends with:")
		for _, line := range lines {
			b.WriteString("\n  | " + line)
		}
	}
	return b.String()
}

// Bounds of what is kept of a server's standard error.
const (
	tailBytes = 4 << 10
	tailLines = 8
	tailWidth = 200
)

// A tail keeps the end of what is written to it, and passes everything on.
type tail struct {
	next io.Writer // may be nil

	mu  sync.Mutex
	end []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.end = append(t.end, p[max(0, len(p)-tailBytes):]...)
	t.end = t.end[max(0, len(t.end)-tailBytes):]
	t.mu.Unlock()
	if t.next != nil {
		return t.next.Write(p)
	}
	return len(p), nil
}

// lines returns the last lines that are not empty.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(t.end)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, strictjson.Printable(line, tailWidth))
		}
	}
	return lines[max(0, len(lines)-tailLines):]
}
