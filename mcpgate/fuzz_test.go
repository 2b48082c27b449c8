// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
)

// Whatever bytes come as arguments, the handler runs exactly those that are a go, and
// receives them as they came.
func FuzzHandlerRunsWhatIsJudged(f *testing.F) {
	for _, c := range parityCases {
		f.Add([]byte(c.arguments))
	}
	for _, seed := range []string{
		"", " ", "null", "[]", "{", `{"path":"a"}{}`, `{"path":"a","path":"b"}`, "{\"path\":\"\xff\"}",
		`{"path":"\ud800"}`, "\ufeff{\"path\":\"a\"}", `{"path":"a","limit":1e999}`, "{\"path\":\"a\\u0000b\"}\n",
	} {
		f.Add([]byte(seed))
	}
	server, ran := guarded(f, nil)
	var arguments atomic.Pointer[[]byte]
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				r.Params.Arguments = *arguments.Load()
			}
			return next(ctx, method, req)
		}
	})
	w := open(f, server, "2025-11-25")
	catalog, gate := w.catalog(), newGate(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		w.t = t
		var want []string
		c := &call.Call{Name: "read", Raw: raw, Arguments: map[string]any{}}
		var err error
		if len(raw) > 0 {
			c.Arguments, err = call.DecodeArguments(json.RawMessage(raw), call.Limits{})
		}
		c.Resolve(catalog)
		if v := gate.Judge(t.Context(), c, toolvet.PointLibrary); err == nil && v.Go {
			want = []string{"read " + string(raw)}
		}
		arguments.Store(&raw)
		w.call("read", "{}")
		if diff := cmp.Diff(want, ran.take()); diff != "" {
			t.Errorf("the handler ran something else (-want +got):\n%s", diff)
		}
	})
}
