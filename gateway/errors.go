// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/upstream"
)

// errorOf returns the JSON-RPC error for a client. A server's own error passes as the server
// wrote it. The error of a server that is down leaves out the server's standard error.
func errorOf(err error) json.RawMessage {
	var refused *upstream.RefusedError
	if errors.As(err, &refused) && refused.Raw != nil {
		return refused.Raw
	}
	code, message, data := jsonrpc.InternalError, explain(err), json.RawMessage(nil)
	var own *jsonrpc.Error
	var task *taskError
	var version *versionError
	switch {
	case refused != nil:
		code, message = refused.Code, refused.Message
	case errors.As(err, &own):
		code, message = own.Code, own.Message
	case errors.As(err, &task):
		code, message, data = task.Code, task.Message, task.Data
	case errors.As(err, &version):
		code, data = unsupportedVersion, version.data()
	}
	if data == nil {
		data = jsonrpc.ErrorData(code, err)
	}
	raw, broken := json.Marshal(struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{code, message, data})
	if broken != nil { // cannot happen: we wrote the parts, as valid JSON
		return json.RawMessage(`{"code":-32603,"message":"toolvet could not answer"}`)
	}
	return raw
}

// A serverError says which server failed a request.
type serverError struct {
	server string
	down   time.Time // the start of the outage; zero: the server is up
	was    bool      // it was up once
	err    error
}

func (e *serverError) Error() string { return fmt.Sprintf("the server %q: %v", e.server, e.err) }
func (e *serverError) Unwrap() error { return e.err }

// of adds the server to an error.
func (p *peer) of(err error) error {
	if err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return &serverError{p.name, p.down, p.was, err}
}

// explain describes an error to a client.
func explain(err error) string {
	var at *serverError
	server := "the server"
	if errors.As(err, &at) {
		server = fmt.Sprintf("the server %q", at.server)
	}
	var down *upstream.UnavailableError
	var gone *upstream.GoneError
	switch {
	case errors.As(err, &down) && at != nil && !at.was && errors.Is(down, context.DeadlineExceeded):
		return fmt.Sprintf("%s has not started yet, and may still install itself; %s. Other servers are not affected", server, nextTry(down))
	case errors.As(err, &down):
		return fmt.Sprintf("%s is down%s; %s. Other servers are not affected", server, at.since(), nextTry(down))
	case errors.As(err, &gone) && gone.Sent:
		return server + " ended before it answered, and may have done what it was asked; it is started again when it is next needed"
	case errors.As(err, &gone):
		return server + " ended before it was asked: try again"
	case errors.Is(err, errRetired), errors.Is(err, upstream.ErrClosed):
		return server + " is none of the gateway's any more: list again"
	case errors.Is(err, context.DeadlineExceeded):
		return server + " did not answer in time. Other servers are not affected"
	case errors.Is(err, context.Canceled):
		return "the session ends before the answer came"
	}
	return err.Error()
}

func (e *serverError) since() string {
	if e == nil || e.down.IsZero() {
		return ""
	}
	return " since " + e.down.UTC().Format(time.RFC3339)
}

func nextTry(down *upstream.UnavailableError) string {
	if pause := time.Until(down.Next); pause > 0 {
		return fmt.Sprintf("it is tried again in %s", max(pause.Round(time.Second), time.Second))
	}
	return "the next call tries again"
}
