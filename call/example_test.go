// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call_test

import (
	"fmt"
	"log"

	"github.com/toolvet/toolvet/call"
)

// A text that two readers could read differently is not a call.
func ExampleDecodeParams() {
	c, err := call.DecodeParams([]byte(`{"name": "read", "arguments": {"path": "notes.txt"}}`), call.Limits{})
	fmt.Println(c.Name, c.Arguments["path"], err)
	_, err = call.DecodeParams([]byte(`{"name": "read", "arguments": {"path": "notes.txt", "path": "/etc/passwd"}}`), call.Limits{})
	fmt.Println(err)
	// Output:
	// read notes.txt <nil>
	// "arguments" is refused: "/path" is given twice (at byte 30)
}

// A program that makes calls of its own needs no JSON text.
func ExampleNewCall() {
	tool, err := call.DecodeTool([]byte(`{"name": "read", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	type arguments struct {
		Path string `json:"path"`
	}
	c, err := call.NewCall(tool, arguments{Path: "notes.txt"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Name, string(c.Raw))
	// Output: read {"path":"notes.txt"}
}
