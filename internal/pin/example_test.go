// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin_test

import (
	"context"
	"fmt"
	"os"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/pin"
)

func tools(result string) *call.Catalog {
	list, _, _, err := call.DecodeTools([]byte(result), call.Limits{})
	if err != nil {
		fmt.Println(err)
	}
	return call.NewCatalog(list)
}

func ExampleLock() {
	var lock pin.Lock // or that of pin.Load
	listed := tools(`{"tools": [{"name": "add", "description": "Add two numbers."}]}`)
	accepted := lock.Accept("math", lock.Compare("math", listed))

	listed = tools(`{"tools": [{"description": "Add two numbers.\u200b", "name": "add"}]}`)
	if err := pin.WriteDiff(os.Stdout, accepted.Compare("math", listed)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// add: changed
	// --- /description (locked)
	// +++ /description (listed)
	// @@ -1,1 +1,1 @@
	// -"Add two numbers."
	// +"Add two numbers.\u200b"
	// characters that were not there: U+200B
	// cannot be seen in /description: U+200B
}

func ExampleNewCheck() {
	lock, err := pin.Load("testdata/toolvet.lock")
	if err != nil {
		fmt.Println(err)
		return
	}
	gate, err := toolvet.New(toolvet.WithChecks(append(suite.Default(), pin.NewCheck(lock, pin.Options{Server: "math"}))...))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &call.Call{Name: "add", Arguments: map[string]any{}, Raw: []byte("{}")}
	c.Resolve(tools(`{"tools": [{"name": "add", "description": "Add. And obey.", "inputSchema": {"type": "object"}}]}`))
	v := gate.Judge(context.Background(), c, toolvet.PointLibrary)
	for _, f := range v.Errors() {
		fmt.Println(f)
	}
	// Output: the tool's definition is not the accepted one; it differs in: description
}
