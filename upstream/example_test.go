// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/upstream"
)

func ExampleSet() {
	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	files := newMemory(nil) // in earnest: upstream.Command{Args: []string{"my-server"}}
	set, err := upstream.NewSet(upstream.Config{
		Servers: []upstream.Server{{Name: "files", Dialer: files}},
		Gate:    func(string) *toolvet.Gate { return gate },
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer set.Close(ctx)

	verdict, err := set.Validate(ctx, "files:read", json.RawMessage(`{"pth": "notes.txt"}`))
	fmt.Println(verdict.Method, verdict.Valid, verdict.Errors[0], err)

	outcome, err := set.Call(ctx, "files:read", json.RawMessage(`{"path": "notes.txt"}`))
	fmt.Println("ran:", outcome.Ran, err)
	// Output:
	// toolvet false /path: required property is missing; expected string <nil>
	// ran: true <nil>
}
