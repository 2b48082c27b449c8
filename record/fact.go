// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"regexp"

	"github.com/toolvet/toolvet"
)

// tool is the name of the tool that is called. A name that the server does not list is the
// client's own text, which may be anything, also a secret.
func (r *Recorder) tool(e *toolvet.Event) string {
	if e.Call.Tool != nil {
		return e.Call.Name
	}
	return "unknown " + r.fact(e.Call.Name)
}

// plainID are ids of requests as clients count or draw them: numbers, short words, and UUIDs.
var plainID = regexp.MustCompile(`^(?:|-?[0-9.eE+-]{1,32}|"[\w.:/-]{0,15}"|"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")$`)

// request is the id of the request, as it is spelt, unless a secret could be in it.
func (r *Recorder) request(e *toolvet.Event) string {
	if plainID.MatchString(e.Request) {
		return e.Request
	}
	return r.fact(e.Request)
}

// fact stands for a text that is not recorded. The same text has the same fact, as long as
// the log has its key.
func (r *Recorder) fact(text string) string {
	if r.log == nil {
		return fmt.Sprintf("(%d bytes)", len(text))
	}
	return fmt.Sprintf("(%d bytes, %s)", len(text), r.log.Digest(text))
}
