// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// fixtureTools are what a peer lists to be tested in full.
var fixtureTools = []any{
	map[string]any{
		"name": writeTool, "description": "Writes a report.",
		"inputSchema": map[string]any{
			"type": "object",
			"properties": map[string]any{
				"path":    map[string]any{"type": "string", "minLength": 1},
				"mode":    map[string]any{"type": "string", "enum": []any{"full", "incremental"}},
				"retries": map[string]any{"type": "integer", "minimum": 0, "maximum": 9},
			},
			"required": []any{"path", "mode"}, "additionalProperties": false,
		},
	},
	map[string]any{
		"name": countTool, "description": "Tells how many reports were written.",
		"inputSchema": map[string]any{"type": "object", "additionalProperties": false},
	},
}

// Serve is the server that the kit plays on stdio: the fixture, and what b says; nil is the fixture alone. It speaks every
// revision of MCP, and returns at the end of in. Each request is written to record, a line each; nil: to nobody.
func Serve(b *Behind, in io.Reader, out, record io.Writer) error {
	if b == nil {
		b = &Behind{}
	}
	s := &behind{Behind: b, out: json.NewEncoder(out), tools: fixtureTools}
	for _, t := range b.Tools {
		s.tools = append(slices.Clone(s.tools), any(t))
	}
	s.out.SetEscapeHTML(false)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if record != nil {
			if _, err := fmt.Fprintf(record, "%s\n", lines.Bytes()); err != nil {
				return err
			}
		}
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			m = message{"id": nil, "broken": true}
		}
		if err := s.answer(m); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Recorded reads the requests that [Serve] has recorded in a file.
func Recorded(name string) ([]any, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for line := range bytes.Lines(text) {
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("the server of the scenario got a line that is no JSON: %w", err)
		}
		list = append(list, v)
	}
	return list, nil
}

type behind struct {
	*Behind
	out      *json.Encoder
	tools    []any
	runs     int
	revision string
}

func (s *behind) answer(m message) error {
	id, asked := m["id"]
	if !asked {
		return nil
	}
	answer := message{"jsonrpc": "2.0", "id": id}
	result, code := s.result(m)
	if code != 0 {
		answer["error"] = map[string]any{"code": code, "message": "the conformance kit's server does not take this"}
	} else {
		if s.revision >= jsonrpc.Modern || m["method"] == "server/discover" {
			result = maps.Clone(result)
			if _, ok := result["resultType"]; !ok {
				result["resultType"] = "complete"
			}
		}
		answer["result"] = result
	}
	return s.out.Encode(answer)
}

// result returns the result of a request, or the code of an error.
func (s *behind) result(m message) (map[string]any, int) {
	params, _ := m["params"].(map[string]any)
	meta, _ := params["_meta"].(map[string]any)
	if jsonrpc.IsModern(meta) {
		s.revision = jsonrpc.Modern
	}
	switch m["method"] {
	case "initialize":
		s.revision, _ = params["protocolVersion"].(string)
		if !slices.Contains(Revisions, s.revision) || s.revision == jsonrpc.Modern {
			s.revision = "2025-11-25"
		}
		return map[string]any{"protocolVersion": s.revision, "capabilities": s.capabilities(), "serverInfo": map[string]any{"name": "conformance", "version": "1.0"}}, 0
	case "server/discover":
		return map[string]any{"supportedVersions": []string{jsonrpc.Modern}, "capabilities": s.capabilities(), "serverInfo": map[string]any{"name": "conformance", "version": "1.0"},
			"ttlMs": 0, "cacheScope": "private"}, 0
	case "ping":
		return map[string]any{}, 0
	case "tools/list":
		return map[string]any{"tools": s.tools, "ttlMs": 0, "cacheScope": "private"}, 0
	case "tools/call":
		return s.call(params)
	}
	return nil, -32601
}

func (s *behind) capabilities() map[string]any {
	c := map[string]any{"tools": map[string]any{}}
	for _, place := range []string{"experimental", "extensions"} {
		if group, ok := s.Announce[place]; ok {
			c[place] = group
		}
	}
	return c
}

func (s *behind) call(params map[string]any) (map[string]any, int) {
	name, _ := params["name"].(string)
	if answer, ok := s.Answers[name]; ok {
		if _, fails := answer["error"]; fails {
			return nil, -32603
		}
		return withText(answer), 0
	}
	text := "written"
	switch name {
	case writeTool:
		s.runs++
	case countTool:
		text = strconv.Itoa(s.runs)
	default:
		return nil, -32602
	}
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}, 0
}

// withText adds the text of a structured answer, as older clients read it.
func withText(answer map[string]any) map[string]any {
	structured, ok := answer["structuredContent"]
	if _, has := answer["content"]; has || !ok {
		return answer
	}
	text, err := json.Marshal(structured)
	if err != nil {
		return answer
	}
	answer = maps.Clone(answer)
	answer["content"] = []any{map[string]any{"type": "text", "text": string(text)}}
	return answer
}
