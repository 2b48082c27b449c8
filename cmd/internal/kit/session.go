// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// The tools of the fixture: what a server needs to be tested in full.
const (
	writeTool = "conformance_write" // counts its runs
	countTool = "conformance_count" // tells the number
)

// extension is the protocol's key in extensions.
const extension = "io.github.toolvet/tool-validation"

// A session is a connection behind the handshake, and what is known from it.
type session struct {
	*peer
	handshake  map[string]any // the result
	tools      []any
	capability map[string]any // nil: none is announced
	validate   string         // the name of the validate tool
	write      string         // the names of the fixture's tools, which a gateway puts its own words before
	count      string
	known      map[string]bool
}

// errRevision means that the peer does not speak the revision.
var errRevision = errors.New("the peer does not speak this revision")

// greet shakes hands, and lists the tools.
func greet(ctx context.Context, p *peer) (*session, error) {
	method, params := "initialize", map[string]any{"protocolVersion": p.revision, "capabilities": map[string]any{}, "clientInfo": clientInfo}
	if p.revision >= jsonrpc.Modern {
		method, params = "server/discover", nil
	}
	answer, err := p.request(ctx, method, params, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	result, ok := answer["result"].(map[string]any)
	switch {
	case answer["error"] != nil:
		e, _ := answer["error"].(map[string]any)
		return nil, fmt.Errorf("%w: %v", errRevision, e["message"])
	case !ok:
		return nil, fmt.Errorf("%s: the answer has neither a result nor an error", method)
	case p.revision < jsonrpc.Modern && result["protocolVersion"] != p.revision:
		return nil, fmt.Errorf("%w: it answers with %v", errRevision, result["protocolVersion"])
	}
	s := &session{peer: p, handshake: result}
	if p.revision < jsonrpc.Modern {
		if err := p.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
			return nil, err
		}
	}
	if err := s.list(ctx); err != nil {
		return nil, err
	}
	s.capability = announced(result)
	s.validate = "validate"
	if name, ok := s.capability["method"].(string); ok && name != "" {
		s.validate = name
	}
	s.write, s.count = s.ending(writeTool), s.ending(countTool)
	s.know()
	return s, nil
}

// list reads all pages of the tools.
func (s *session) list(ctx context.Context) error {
	params := map[string]any{}
	for range 100 {
		answer, err := s.request(ctx, "tools/list", params, nil)
		if err != nil {
			return fmt.Errorf("tools/list: %w", err)
		}
		result, ok := answer["result"].(map[string]any)
		if !ok {
			return fmt.Errorf("tools/list: %v", answer["error"])
		}
		page, _ := result["tools"].([]any)
		s.tools = append(s.tools, page...)
		cursor, _ := result["nextCursor"].(string)
		if cursor == "" {
			return nil
		}
		params = map[string]any{"cursor": cursor}
	}
	return errors.New("tools/list has more than 100 pages")
}

// announced returns the first object that announces the protocol, as section 3.3 has it.
func announced(handshake map[string]any) map[string]any {
	capabilities, _ := handshake["capabilities"].(map[string]any)
	for _, place := range [][2]string{{"experimental", "toolValidation"}, {"extensions", extension}} {
		group, _ := capabilities[place[0]].(map[string]any)
		c, _ := group[place[1]].(map[string]any)
		if c != nil && c["supported"] == true {
			return c
		}
	}
	return nil
}

// know records which of the scenarios' needs the server meets.
func (s *session) know() {
	input, _ := s.tool(s.validate)["inputSchema"].(map[string]any)
	properties, _ := input["properties"].(map[string]any)
	s.known = map[string]bool{
		"fixture":   s.write != "" && s.count != "",
		"batch":     s.capability["batchValidation"] == true,
		"single":    s.capability["batchValidation"] != true,
		"levels":    properties["levels"] != nil,
		"streaming": s.capability["streaming"] == true,
		"async":     s.capability["async"] == true,
		"cacheable": s.capability["cacheable"] == true,
		"tokens":    s.capability["tokens"] == true,
	}
}

func (s *session) maxBatch() int {
	n, _ := s.capability["maxBatchSize"].(float64)
	return int(n)
}

func (s *session) tool(name string) map[string]any {
	i := slices.IndexFunc(s.tools, func(t any) bool { m, _ := t.(map[string]any); return m["name"] == name })
	if i < 0 {
		return nil
	}
	return s.tools[i].(map[string]any)
}

// ending returns the name of the tool that ends with suffix; "" if there is none.
func (s *session) ending(suffix string) string {
	for _, t := range s.tools {
		m, _ := t.(map[string]any)
		if name, _ := m["name"].(string); strings.HasSuffix(name, suffix) {
			return name
		}
	}
	return ""
}

// runs asks the fixture how often its tool has run.
func (s *session) runs(ctx context.Context) (int, error) {
	answer, err := s.request(ctx, "tools/call", map[string]any{"name": s.count, "arguments": map[string]any{}}, nil)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(firstText(answer))
	if err != nil {
		return 0, fmt.Errorf("%s must answer with a number as text: %v", s.count, answer)
	}
	return n, nil
}

// firstText returns the text of the first item of content.
func firstText(answer message) string {
	result, _ := answer["result"].(map[string]any)
	content, _ := result["content"].([]any)
	if len(content) == 0 {
		return ""
	}
	first, _ := content[0].(map[string]any)
	text, _ := first["text"].(string)
	return text
}
