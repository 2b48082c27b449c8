// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// TestLeftBehind holds that a check which is left behind reads the arguments that it was given,
// although a door reads its next message into the same memory.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // on a busy machine the check may not begin in time
		goOn, got := make(chan struct{}), make(chan string, 1)
		gate, err := toolvet.New(toolvet.WithTimeout(20*time.Millisecond), toolvet.WithMoreChecks(&check.Check{
			Name: "slow", Doc: "# slow\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel,
			Run: func(_ context.Context, pass *check.Pass) error {
				<-goOn
				got <- string(pass.Call.Raw)
				return nil
			},
		}))
		if err != nil {
			t.Fatal(err)
		}
		tool, err := call.DecodeTool([]byte(`{"name":"read","inputSchema":{"type":"object"}}`), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		line := []byte(`{"name":"read","arguments":{"path":"a"}}`)
		c, err := call.DecodeParams(line, call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.Resolve(call.NewCatalog([]*call.Tool{tool}))
		if v := gate.Judge(t.Context(), c, toolvet.PointProxy); v.Go {
			t.Error("a check that did not finish lets the call through")
		}
		copy(line, `{"name":"read","arguments":{"path":"b"}}`)
		close(goOn)
		if raw := <-got; raw != `{"path":"a"}` {
			t.Errorf("the check reads %s", raw)
		}
	})
}
