// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package logname prepares the names of arguments for logs. A caller chooses the names of
// properties, and a server those in its schemas, so a name may be a secret.
package logname

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

var (
	index = lazyregexp.New(`^[0-9]{1,6}$`)
	// plain matches names as people choose them. No token of a known kind is as short and has
	// as few digits.
	plain = lazyregexp.New(`^[A-Za-z_$@][A-Za-z_$.@-]{0,30}[0-9]{0,3}$`)
)

// maxSteps bounds the steps of a pointer in a log.
const maxSteps = 32

// Pointer returns a JSON Pointer for a log. It keeps indexes, and plain names that t declares in a
// schema. If t is nil, it keeps plain names: the pointer leads into an answer. It writes the
// length in place of any other name.
func Pointer(pointer string, t *call.Tool) string {
	if pointer == "" {
		return ""
	}
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	if len(steps) > maxSteps {
		steps = append(steps[:maxSteps], "…")
	}
	for i, step := range steps {
		if !index.MatchString(step) && step != "…" && !(plain.MatchString(step) && declares(t, step)) {
			steps[i] = fmt.Sprintf("(%d bytes)", len(step))
		}
	}
	return "/" + strings.Join(steps, "/")
}

// Call returns the place of a finding about c, for a log.
func Call(pointer string, c *call.Call) string {
	t := c.Tool
	if t == nil {
		t = new(call.Tool) // which declares nothing
	}
	return Pointer(pointer, t)
}

// Tool returns the name of the tool of c for a log. A name that the server does not list is the caller's
// own text.
func Tool(c *call.Call) string {
	if c.Tool == nil {
		return fmt.Sprintf("unknown (%d bytes)", len(c.Name))
	}
	return strictjson.Printable(c.Name, 128)
}

// declares reports whether a name stands in a schema of t.
func declares(t *call.Tool, name string) bool {
	if t == nil {
		return true
	}
	quoted, err := json.Marshal(name)
	return err == nil && (bytes.Contains(t.InputSchema, quoted) || bytes.Contains(t.OutputSchema, quoted))
}

// Error returns the text of err for a log, without the names in places of a message.
func Error(err error) string {
	text := err.Error()
	var fault *strictjson.Error
	if errors.As(err, &fault) && fault.Pointer != "" {
		short := fmt.Sprintf("a place in it %s (at byte %d)", fault.Rule, fault.Offset)
		text = strings.ReplaceAll(text, fault.Error(), short)
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Place != "" {
		text = strings.ReplaceAll(text, refused.Place, "a place in it")
	}
	return text
}

// Method returns the name of a method for a log. A name that MCP does not have is the caller's own text.
func Method(method string) string {
	if method == "" || method == jsonrpc.ToolsCall || call.RequestOf(method) != nil || jsonrpc.KnownNotification(method) {
		return method
	}
	return fmt.Sprintf("unknown (%d bytes)", len(method))
}
