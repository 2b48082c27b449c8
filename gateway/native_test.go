// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/upstream"
)

// TestNativeHearsOfGoesAlone holds that a server's own validation hears of no call that the
// policy refuses, and that a tool that is none counts for nothing, whatever the server announces.
func TestNativeHearsOfGoesAlone(t *testing.T) {
	t.Parallel()
	const judge = `{"name":"judge","inputSchema":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool","arguments"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}`
	denied := gate(t, toolvet.WithMoreChecks(&check.Check{Name: "denied", Doc: "# denied\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			if pass.Call.Name == "send" {
				pass.Reportf("", "not this one")
			}
			return nil
		}}))
	for method, wants := range map[string]map[string]string{
		"judge": {"s__send": `"method":"toolvet"`, "s__read": `"method":"toolvet+native"`, "s__judge": "not asked about itself"},
		"send":  {"s__send": `"method":"toolvet"`, "s__read": "is no validate tool"},
	} {
		server := lists(map[string]string{"tools/list": `{"name":"send","inputSchema":{"type":"object"}},{"name":"read","inputSchema":{"type":"object"}},` + judge},
			says(`{"content":[],"structuredContent":{"valid":true,"errors":[],"warnings":[],"suggestions":[]}}`))
		server.announce = `{"tools":{},"experimental":{"toolValidation":{"supported":true,"method":"` + method + `"}}}`
		g := open(t, map[string]*fake{"s": server}, func(c *gateway.Config) {
			c.Servers = []gateway.Server{{Server: upstream.Server{Name: "s", Dialer: server}, Gate: func() *toolvet.Gate { return denied }, Version: "1"}}
		})
		c := legacy(t, g, "", "{}")
		for tool, want := range wants {
			arguments := `{}`
			if tool == "s__judge" {
				arguments = `{"tool":"send","arguments":{}}`
			}
			before := len(server.got("tools/call"))
			got := c.result("tools/call", `{"name":"validate","arguments":{"tool":"`+tool+`","arguments":`+arguments+`}}`)
			asked := len(server.got("tools/call")) - before
			if !strings.Contains(got, want) || (asked == 1) != (want == `"method":"toolvet+native"`) {
				t.Errorf("%s names %s: asked %d times, got %s", tool, method, asked, got)
			}
		}
	}
}
