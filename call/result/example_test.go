// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/toolvet/toolvet/call/result"
)

// Of a result one word is changed: spaces, escapes and 1.0 stay as the server wrote them.
func ExampleResult_Apply() {
	r, err := result.Read("tools/call", []byte(`{"content": [{"type": "text", "text": "caf\u00e9 key=hunter2"}], "took": 1.0}`))
	if err != nil {
		log.Fatal(err)
	}
	var edits []result.Edit
	tokens := r.Tokens()
	for i, place := range r.Places(tokens) {
		t := tokens[i]
		if t.Kind != result.String {
			continue
		}
		text := result.Unquote(r.Raw[t.Start:t.End])
		if at := strings.Index(text, "hunter2"); at >= 0 {
			fmt.Println("found in", place)
			edits = append(edits, r.ReplaceText(t, at, at+len("hunter2"), "[redacted]"))
		}
	}
	raw, err := r.Apply(edits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(raw))
	// Output:
	// found in /content/0/text
	// {"content": [{"type": "text", "text": "caf\u00e9 key=[redacted]"}], "took": 1.0}
}
