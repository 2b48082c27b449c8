// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of the knowledge about a server's tools.
const (
	maxTools = 10_000
	maxPages = 100
)

// A mirrorBook records which arguments of a server's tools headers mirror.
type mirrorBook struct {
	limits call.Limits
	log    *slog.Logger

	mu     sync.Mutex
	byTool map[string][]mcpheader.Mirror
}

// of returns the mirrored arguments of a call.
func (b *mirrorBook) of(m jsonrpc.Envelope) []mcpheader.Mirror {
	if m.Method != "tools/call" {
		return nil
	}
	name := textAt(m.Params, b.limits, "name")
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byTool[name]
}

// learn learns from a list of tools. It returns the tools that can be called over HTTP.
func (b *mirrorBook) learn(list []byte) (kept [][]byte, dropped bool) {
	tools, err := strictjson.Elements(list, b.limits)
	if err != nil {
		return nil, false // the client reports the fault
	}
	for _, tool := range tools {
		name := textAt(tool, b.limits, "name")
		mirrors, err := mcpheader.Mirrors(find(tool, b.limits, "inputSchema"), b.limits)
		if err != nil {
			b.log.Warn("the server has a tool that cannot be called over HTTP", "tool", strictjson.Printable(name, 128), "err", err)
			dropped = true
			continue
		}
		kept = append(kept, tool)
		b.set(name, mirrors)
	}
	return kept, dropped
}

func (b *mirrorBook) set(name string, mirrors []mcpheader.Mirror) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byTool == nil {
		b.byTool = map[string][]mcpheader.Mirror{}
	}
	switch {
	case mirrors == nil:
		delete(b.byTool, name)
	case len(b.byTool) < maxTools:
		b.byTool[name] = mirrors
	}
}

// learnTools learns from an answer to tools/list. It removes tools with a schema that asks for
// impossible headers, as the specification demands (basic/transports/streamable-http, Schema
// Extension).
func (c *Client) learnTools(line []byte) []byte {
	from, to := place(line, c.limits, "result", "tools")
	kept, dropped := c.mirrors.learn(line[from:to])
	if !dropped {
		return line
	}
	return slices.Concat(line[:from], []byte("["), bytes.Join(kept, []byte(",")), []byte("]"), line[to:])
}

// relist asks for the server's tools on behalf of p, because the schemas seem to have changed since the
// client's last list. It returns false if that failed.
func (c *Client) relist(p *post) bool {
	meta := find(p.Params, c.limits, "_meta")
	cursor := json.RawMessage(nil)
	for page := range maxPages {
		params := map[string]json.RawMessage{"_meta": meta}
		if page > 0 {
			params["cursor"] = cursor
		}
		result, err := c.list(params)
		if err != nil {
			c.log.Warn("the server's tools could not be listed", "err", err)
			return false
		}
		c.mirrors.learn(find(result, c.limits, "tools"))
		if cursor = find(result, c.limits, "nextCursor"); cursor == nil || string(cursor) == "null" {
			return true
		}
	}
	return false
}

func (c *Client) list(params map[string]json.RawMessage) (json.RawMessage, error) {
	c.mu.Lock()
	c.privates++
	id := fmt.Sprintf(`"toolvet-http-%d"`, c.privates)
	c.mu.Unlock()
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":%s}`, id, body)
	m, err := jsonrpc.DecodeEnvelope(line, c.limits)
	if err != nil {
		return nil, err
	}
	p := c.newPost(m, line)
	result, _, err := c.private(p, c.headers(p, session{}))
	return result, err
}
