// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"encoding/json"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A caller identifies the client and the principal behind it. It is safe for concurrent use.
type caller struct {
	known atomic.Pointer[call.Session]
}

// learn updates the session of later calls.
func (c *caller) learn(change func(*call.Session)) {
	for {
		before := c.known.Load()
		after := *before
		change(&after)
		if c.known.CompareAndSwap(before, &after) {
			return
		}
	}
}

// session returns the session of a call with this _meta. Since 2026-07-28 each request states
// its version and its sender itself.
func (c *caller) session(meta map[string]any) *call.Session {
	known := c.known.Load()
	trace, _ := meta["traceparent"].(string) // SEP-414
	version, _ := meta[jsonrpc.RevisionKey].(string)
	client, _ := meta[jsonrpc.ClientInfoKey].(map[string]any)
	if trace == "" && version == "" && client == nil {
		return known
	}
	s := *known
	s.Traceparent = trace
	if version != "" {
		s.ProtocolVersion = version
	}
	if client != nil {
		s.ClientName, _ = client["name"].(string)
		s.ClientVersion, _ = client["version"].(string)
	}
	return &s
}

// textOf returns the text of a JSON string, or "" for any other value.
func textOf(raw []byte) string {
	var s string
	_ = json.Unmarshal(raw, &s) // not a string: ""
	return s
}
