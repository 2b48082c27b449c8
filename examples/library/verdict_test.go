// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
)

// A single verdict on a call, without a server.
func Example_verdict() {
	tool := must(call.DecodeTool([]byte(`{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`), call.Limits{}))
	v := must(toolvet.New()).Judge(context.Background(), must(call.NewCall(tool, map[string]any{"path": 5})), toolvet.PointLibrary)
	fmt.Println(v.Err(tool.Name))
	// Output:
	// call to "read" refused
	//  - /path: expected string [input-schema]
}
