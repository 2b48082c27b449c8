// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/toolvet/toolvet/gateway"
)

// A call of a batch whose server hangs takes no time from those behind it
// (docs/protocol.md, section 4.3).
func TestBatchWithHangingServer(t *testing.T) {
	t.Parallel()
	hanging := lists(map[string]string{"tools/list": ""}, echo)
	hanging.answers["tools/list"] = hangs
	g := open(t, map[string]*fake{
		"good": lists(map[string]string{"tools/list": tools("add")}, echo),
		"slow": hanging,
	}, func(c *gateway.Config) { c.SetPatience(time.Second) })
	c := legacy(t, g, "", "{}")
	result := c.result("tools/call", `{"name":"validate_batch","arguments":{"calls":[{"tool":"slow__x","arguments":{}},{"tool":"slow__y","arguments":{}},{"tool":"good__add","arguments":{"n":1}}]}}`)
	var answer struct {
		StructuredContent struct {
			Results []struct {
				Valid  bool
				Errors []string
			}
		}
	}
	if err := json.Unmarshal([]byte(result), &answer); err != nil {
		t.Fatal(err)
	}
	results := answer.StructuredContent.Results
	if len(results) != 3 || results[0].Valid || results[1].Valid || !results[2].Valid {
		t.Errorf("want no-go, no-go, go: %s", result)
	}
}
