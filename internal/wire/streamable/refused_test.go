// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// TestRefused holds that a front tells of each request that it refuses before a session sees it, so that
// the request is recorded.
func TestRefused(t *testing.T) {
	t.Parallel()
	const one = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read","arguments":{}}}`
	for name, tt := range map[string]struct {
		body    string
		headers []string
		status  string
		want    string
	}{
		"no session":      {one, nil, "400", `5 tools/call {"name":"read","arguments":{}} the header Mcp-Session-Id is missing: send initialize first`},
		"a wrong session": {one, []string{"Mcp-Session-Id", "x"}, "404", `5 tools/call {"name":"read","arguments":{}} there is no such session, or it has ended: send initialize again`},
		"another method":  {one, []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "ping"}, "400", `5 tools/call`},
		"no message":      {`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"a":1,"a":2}}`, nil, "400", `5 tools/call`},
		"another request": {`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"file:///x"}}`, nil, "400", `6 resources/read`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var told []string
			f := newFront(t, nil, func(c *streamable.FrontConfig) {
				c.Refused = func(_ context.Context, _ call.Session, m jsonrpc.Envelope, err error) error {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, fmt.Sprintf("%s %s %s %v", m.ID, m.Method, m.Params, err))
					return err
				}
			})
			if got := f.post(tt.body, tt.headers...); !strings.HasPrefix(got, tt.status) {
				t.Errorf("answered %s, want status %s", got, tt.status)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(told) != 1 || !strings.HasPrefix(told[0], tt.want) {
				t.Errorf("told %q, want %q", told, tt.want)
			}
		})
	}
}
