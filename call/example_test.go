// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call_test

import (
	"fmt"

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
	// "params.arguments" is refused: "/path" is given twice (at byte 30)
}
