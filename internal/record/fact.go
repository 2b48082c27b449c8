// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// toolName returns the name of the tool of a call. If the server does not list the tool, the name is the client's own text and may
// even be a secret.
func (r *Recorder) toolName(c *call.Call) string {
	if !c.IsTool() {
		return ""
	}
	if c.Tool != nil {
		return c.Name
	}
	return "unknown " + r.fact(c.Name)
}

// method returns the method of a request other than tools/call. A method that MCP does not have is the client's own
// text.
func (r *Recorder) method(e *toolvet.Event) string {
	switch {
	case e.Call.IsTool():
		return ""
	case e.Call.KnownMethod():
		return e.Call.Method
	}
	return "unknown " + r.fact(e.Call.Method)
}

// plainID matches ids of requests as clients usually make them: numbers, short words, and UUIDs.
var plainID = lazyregexp.New(`^(?:|-?[0-9.eE+-]{1,32}|"[\w.:/-]{0,15}"|"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")$`)

// request returns the id of the request, as spelt, unless it may contain a secret.
func (r *Recorder) request(e *toolvet.Event) string {
	if plainID.MatchString(e.Request) {
		return e.Request
	}
	return r.fact(e.Request)
}

// fact replaces a text that must not be recorded. The same text has the same fact as long as the log keeps its key.
func (r *Recorder) fact(text string) string {
	if r.log == nil {
		return fmt.Sprintf("(%d bytes)", len(text))
	}
	return fmt.Sprintf("(%d bytes, %s)", len(text), r.log.Digest(text))
}
