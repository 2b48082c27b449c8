// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
)

func ExampleRun() {
	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	client := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"chicago"}}}
`)
	var out strings.Builder
	_, err = stdio.Run(context.Background(), stdio.Config{
		Config:  relay.Config{Gate: func() *toolvet.Gate { return gate }},
		Command: []string{os.Args[0], "as-sdk-server"}, // such as npx -y @modelcontextprotocol/server-everything
		Stdin:   client,                                // in earnest: os.Stdin
		Stdout:  &out,
	})
	if err != nil {
		log.Fatal(err)
	}
	answers := json.NewDecoder(strings.NewReader(out.String()))
	for {
		var answer struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		if err := answers.Decode(&answer); err != nil {
			break
		}
		if answer.ID == 2 {
			fmt.Println(answer.Result.Content[0].Text)
		}
	}
	// Output:
	// The call to "get-structured-content" was refused before it ran:
	// - error: /location: expected "Chicago"
	//   fix: send "Chicago"
	// Nothing was executed. Fix the errors above before you call it again; if they are not yours to fix, do not repeat the call.
}
