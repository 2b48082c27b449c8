// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/upstream"
)

func ExampleGateway_Serve() {
	files := lists(map[string]string{"tools/list": tools("read")}, says(`{"content":[]}`)) // in earnest: upstream.Command{Args: []string{"my-server"}}
	g, err := gateway.New(gateway.Config{Servers: []gateway.Server{{Server: upstream.Server{Name: "files", Dialer: files}}}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer g.Close(ctx)
	client := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"files__read","arguments":{"n":"many"}}}
`)
	var out strings.Builder
	if err := g.Serve(ctx, call.Session{Subject: "ann"}, client, &out); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `"id":2`) {
			fmt.Println("refused:", strings.Contains(line, "/n: expected number"))
		}
	}
	fmt.Println("the server was asked:", len(files.got("tools/call")) > 0)
	// Output:
	// refused: true
	// the server was asked: false
}

func ExampleExpose() {
	fmt.Println(gateway.Expose("files", "read_file"))
	fmt.Println(gateway.Expose("files", "read file"))
	// Output:
	// files__read_file
	// files__read_file_1214148ebf
}
