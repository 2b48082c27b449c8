// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// calls is the file in which the tools record their calls.
const calls = "/tmp/calls"

const tools = `{"tools":[
	{"name":"note","description":"Notes that it was called.","inputSchema":{"type":"object","properties":{"job":{"type":"string"},"file":{"type":"string"}},"required":["job"]}},
	{"name":"slow","description":"Notes that it was called, and takes 8 seconds.","inputSchema":{"type":"object","properties":{"job":{"type":"string"}},"required":["job"]}}]}`

// serveTools runs an MCP server on standard input and output.
func serveTools() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Name            string
				Arguments       struct{ Job string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.ID == nil {
			continue
		}
		answer := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", r.ID, compact(result)) }
		switch r.Method {
		case "initialize":
			answer(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"guest","version":"1"}}`, r.Params.ProtocolVersion))
		case "tools/list":
			answer(tools)
		case "tools/call":
			if err := note(calls, r.Params.Arguments.Job); err != nil {
				answer(`{"content":[],"isError":true}`)
				continue
			}
			done := `{"content":[{"type":"text","text":"done"}]}`
			if r.Params.Name == "slow" {
				time.AfterFunc(8*time.Second, func() { answer(done) })
				continue
			}
			answer(done)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"there is no such method"}}`+"\n", r.ID)
		}
	}
}

// compact removes line ends from JSON.
func compact(text string) json.RawMessage {
	var v any
	_ = json.Unmarshal([]byte(text), &v) // all texts are in this file
	line, _ := json.Marshal(v)
	return line
}
