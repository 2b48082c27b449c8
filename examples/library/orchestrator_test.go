// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/upstream"
)

// An orchestrator calls tools of servers that it starts, and each call is judged.
func Example_orchestrator() {
	ctx, gate := context.Background(), must(toolvet.New())
	set := must(upstream.NewSet(upstream.Config{
		Servers: []upstream.Server{{Name: "files", Dialer: upstream.Command{Args: []string{self, "server"}}}},
		Gate:    func(string) *toolvet.Gate { return gate },
	}))
	defer set.Close(ctx)
	fmt.Println(string(must(set.Call(ctx, "files:touch", json.RawMessage(`{"path":"/dev/null"}`))).Raw))
	fmt.Println(must(set.Call(ctx, "files:touch", json.RawMessage(`{"pth":"a"}`))).Judged)
	// Output:
	// {"content":[{"type":"text","text":"done"}]}
	// no-go
	//  - /path: required property is missing; expected string [input-schema]
	//  - /pth: property is not allowed; allowed: "path" [input-schema]
}
