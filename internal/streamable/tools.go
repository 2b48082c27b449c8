// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/mcpheader"
	"github.com/toolvet/toolvet/internal/strictjson"
)

// Bounds of what is learnt of a server's tools.
const (
	maxTools = 10_000
	maxPages = 100
)

// mirrorsOf are the arguments that the headers of a call mirror.
func (c *Client) mirrorsOf(p *post) []mcpheader.Mirror {
	if p.Method != "tools/call" {
		return nil
	}
	name := textAt(p.Params, c.limits, "name")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mirrors[name]
}

// learnTools learns which arguments of the tools in an answer headers mirror. A tool
// whose schema asks for what cannot be is taken out of the answer, as the specification
// wants it (basic/transports/streamable-http, Schema Extension).
func (c *Client) learnTools(line []byte) []byte {
	from, to := place(line, c.limits, "result", "tools")
	kept, dropped := c.learnList(line[from:to])
	if !dropped {
		return line
	}
	return slices.Concat(line[:from], []byte("["), bytes.Join(kept, []byte(",")), []byte("]"), line[to:])
}

func (c *Client) learnList(list []byte) (kept [][]byte, dropped bool) {
	tools, err := strictjson.Elements(list, c.limits)
	if err != nil {
		return nil, false // the reader finds it
	}
	for _, tool := range tools {
		name := textAt(tool, c.limits, "name")
		mirrors, err := mcpheader.Mirrors(find(tool, c.limits, "inputSchema"), c.limits)
		if err != nil {
			c.log.Warn("left out a tool of the server that cannot be called over HTTP", "tool", strictjson.Printable(name, 128), "err", err)
			dropped = true
			continue
		}
		kept = append(kept, tool)
		c.mu.Lock()
		switch {
		case mirrors == nil:
			delete(c.mirrors, name)
		case len(c.mirrors) < maxTools:
			c.mirrors[name] = mirrors
		}
		c.mu.Unlock()
	}
	return kept, dropped
}

// relist asks for the server's tools, whose schemas seem to have changed since the client
// did, on behalf of p. It returns false if that failed.
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
		c.learnList(find(result, c.limits, "tools"))
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
	m, err := call.DecodeEnvelope(line, c.limits)
	if err != nil {
		return nil, err
	}
	p := c.newPost(m, line)
	result, _, err := c.private(p, c.headers(p, session{}))
	return result, err
}
