// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A handshakeError reports a server that was started but did not complete the handshake.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// HandshakeFailed marks the error for servers.HandshakeFailed.
func (e *handshakeError) HandshakeFailed() {}

// A RefusedError reports a request that the server answered with an error, or that toolvet refused
// itself.
type RefusedError struct {
	Method  string
	Code    int             // the JSON-RPC error code from the server
	Message string          // the server's message, shortened
	Raw     json.RawMessage // the whole error as the server wrote it
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server refuses %s: %s (code %d)", e.Method, e.Message, e.Code)
}

// ErrorCode returns the code of the JSON-RPC error.
func (e *RefusedError) ErrorCode() int { return e.Code }

// An unansweredError is a RefusedError that toolvet wrote in the server's place, as the client of a URL or in front of the server.
type unansweredError struct {
	why     *jsonrpc.Unanswered
	refused *RefusedError
}

func (e *unansweredError) Error() string   { return e.refused.Message }
func (e *unansweredError) Unwrap() []error { return []error{e.why, e.refused} }

// An unusableError reports an unreadable answer of the server.
type unusableError struct {
	Method string
	Err    error // why
}

func (e *unusableError) Error() string {
	return fmt.Sprintf("the server's answer to %s cannot be used: %v", e.Method, e.Err)
}

func (e *unusableError) Unwrap() error { return e.Err }

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

// newUnansweredError is newRefusedError for an error that toolvet may have written in the server's place.
func newUnansweredError(method string, raw json.RawMessage) error {
	refused := newRefusedError(method, raw)
	if why := jsonrpc.UnansweredIn(raw); why != nil {
		return &unansweredError{why, refused}
	}
	return refused
}

// rewritten returns the error that a client gets of a request that failed with err: it is a server's own if err is.
func rewritten(err error, method string, raw json.RawMessage) error {
	if errors.As(err, new(*RefusedError)) && !errors.As(err, new(*jsonrpc.Unanswered)) {
		return newRefusedError(method, raw)
	}
	return newUnansweredError(method, raw)
}

// A GoneError reports a request that cannot be answered any more because the server is gone.
type GoneError struct {
	Method string
	Sent   bool // the server may have received and executed the request
	text   string
	err    error
}

func (e *GoneError) Error() string { return e.text }

// Unwrap returns [ErrClosed] if the server is gone because its [Set] was closed.
func (e *GoneError) Unwrap() error { return e.err }

// ended returns the error of a request in terms of the set: once it is closed, that is the reason.
func (s *Set) ended(err error) error {
	gone, ok := errors.AsType[*GoneError](err)
	switch {
	case err == nil || s.ctx.Err() == nil:
		return err
	case !ok && errors.Is(err, context.Canceled):
		return ErrClosed // the set's own requests end with its context
	case !ok:
		return err
	}
	return &GoneError{gone.Method, gone.Sent, "the servers were closed before an answer to " + gone.Method, ErrClosed}
}

func (c *conn) goneError(method string, sent bool) error {
	return &GoneError{Method: method, Sent: sent, text: fmt.Sprintf("%s before it answered %s%s", c.end(), method, c.circumstances())}
}

// end describes the end of the session. It waits a moment for the server's exit code.
func (c *conn) end() string {
	if errors.Is(c.why, errStdout) || errors.Is(c.why, errStdin) {
		select {
		case <-c.transport.Done():
			return exitText(c.transport)
		case <-time.After(exitWait):
		}
	}
	return c.why.Error()
}

// exitText describes the end of a server that is gone.
func exitText(t Transport) string {
	err := t.Stop(context.Background())
	exit, ok := errors.AsType[process.Exit](err)
	if p, child := t.(*process.Process); child {
		exit, ok = p.Exit(), true // it may have ended well
	}
	switch {
	case ok:
		return "the server " + exit.String()
	case err != nil:
		return "the server ended (" + strictjson.Printable(err.Error(), 200) + ")"
	}
	return "the server ended"
}

// contextError reports that ctx ended before the answer to method arrived.
func (c *conn) contextError(ctx context.Context, method string) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) { // a deadline that counts another time than that of the clock
		err = cause
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("waiting for the server's answer to %s: %w", method, err)
	}
	return &lateError{fmt.Sprintf("the server did not answer %s in time%s", method, c.circumstances()), err}
}

// A lateError describes a missed deadline in its own words.
type lateError struct {
	text string
	err  error
}

func (e *lateError) Error() string { return e.text }
func (e *lateError) Unwrap() error { return e.err }

// circumstances adds details that help a person to find the cause.
func (c *conn) circumstances() string {
	c.mu.Lock()
	odd := c.odd
	c.mu.Unlock()
	var b strings.Builder
	if odd != "" {
		b.WriteString("; it " + odd)
	}
	if lines := c.stderr.Lines(); len(lines) > 0 {
		b.WriteString(tailTitle)
		for _, line := range lines {
			b.WriteString("\n  | " + line)
		}
	}
	return b.String()
}

// tailTitle stands before the end of a server's standard error.
const tailTitle = "; its standard error ends with:"
