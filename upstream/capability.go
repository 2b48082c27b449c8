// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
)

func (s innerSet) Capabilities(ctx context.Context, server string) (json.RawMessage, error) {
	var capabilities json.RawMessage
	err := s.with(ctx, server, func(c *client) { capabilities = c.capabilities })
	return capabilities, err
}

func (s innerSet) HasCapability(ctx context.Context, server, path string) (bool, error) {
	capabilities, err := s.Capabilities(ctx, server)
	return err == nil && announces(capabilities, strings.Split(path, ".")...), err
}

func (s innerSet) Info(ctx context.Context, server string) (info, instructions json.RawMessage, err error) {
	err = s.with(ctx, server, func(c *client) { info, instructions = c.ServerInfo(), c.instructions })
	return info, instructions, err
}

func (s *Set) with(ctx context.Context, server string, f func(*client)) error {
	p, err := s.peer(server)
	if err != nil {
		return err
	}
	l, release, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	f(l.client)
	return nil
}

// announces reports whether a server announces a capability. Path leads through the
// capabilities in the server's answer to initialize or server/discover, and is cut at these dots:
//
//	tools.listChanged
//	experimental.toolValidation.supported
//	extensions.io.github.toolvet/tool-validation.supported
//
// Keys may contain dots themselves: at each object, the longest key that begins the rest of
// path counts. The server has the capability if the value is an object, even an empty one,
// because MCP announces a capability without options in this way. True, numbers other than 0,
// and texts and lists that are not empty count as well. All else is no.
func announces(v json.RawMessage, path ...string) bool {
	if len(path) == 0 {
		return yes(v)
	}
	for n := range slices.Backward(path) {
		if inner := memberOf(v, strings.Join(path[:n+1], "."), call.Limits{}); inner != nil {
			return announces(inner, path[n+1:]...)
		}
	}
	return false
}

func yes(v json.RawMessage) bool {
	var decoded any
	if err := json.Unmarshal(v, &decoded); err != nil {
		return false
	}
	switch decoded := decoded.(type) {
	case map[string]any:
		return true
	case bool:
		return decoded
	case float64:
		return decoded != 0
	case string:
		return decoded != ""
	case []any:
		return len(decoded) > 0
	}
	return false
}

func (s innerSet) NativeValidation(ctx context.Context, server string) (method string, ok bool, err error) {
	err = s.with(ctx, server, func(c *client) { method, ok = c.NativeValidation() })
	return method, ok, err
}
