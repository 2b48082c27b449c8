// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// TestListAgain holds that a list is reviewed and decoded once, as long as the server, the gate and the
// list stay what they are.
func TestListAgain(t *testing.T) {
	t.Parallel()
	gate := limited(t, "")
	server, err := NewServer(Config{Server: "s", Gate: func() *toolvet.Gate { return gate }, PrivatePrefix: "p-"})
	if err != nil {
		t.Fatal(err)
	}
	x := server.NewClient(call.Session{}).NewExchange(t.Context(), sink{})
	id := 0
	list := func(text string) (line string, tool *call.Tool) {
		t.Helper()
		id++
		x.FromClient(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id))
		line = string(x.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"a","description":%q,"inputSchema":{"type":"object"}}]}}`, id, text)))
		return strings.Replace(line, fmt.Sprintf(`"id":%d`, id), `"id":0`, 1), server.Tool("a")
	}
	first, tool := list("Reads.")
	if again, same := list("Reads."); again != first || same != tool || !strings.Contains(first, `"name":"validate"`) {
		t.Errorf("the list again: %s\nfirst: %s\nthe same definition: %t", again, first, same == tool)
	}
	if line, other := list("Writes."); other == tool || !strings.Contains(line, "Writes.") {
		t.Errorf("another list: %s, the same definition: %t", line, other == tool)
	}
	if _, other := list("Reads."); other == tool {
		t.Error("the list of before is taken for the list of now")
	}
	_, tool = list("Reads.")
	x.FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	if _, other := list("Reads."); other == tool || other == nil {
		t.Error("a list of before a change is kept")
	}

	// A finding is made again.
	token := "Uses ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a." // kept apart, for scanners of the source
	for range 2 {
		if line, _ := list(token); strings.Contains(line, "16C7e42F292c") {
			t.Errorf("a secret passes: %s", line)
		}
	}

	// Another gate reviews anew, and one with a check of one's own each time.
	looked := 0
	own := &check.Check{Name: "own", Doc: "# own\n\nCounts.", Stage: check.Output, Level: check.SecurityLevel, Run: func(context.Context, *check.Pass) error {
		looked++
		return nil
	}}
	old := gate
	if gate, err = toolvet.New(toolvet.WithMoreChecks(own), toolvet.WithLogger(slog.New(slog.DiscardHandler))); err != nil {
		t.Fatal(err)
	}
	list("Reads.")
	list("Reads.")
	if looked != 2 {
		t.Errorf("a check of one's own looked %d times at 2 lists", looked)
	}
	gate = old
	if again, _ := list("Reads."); again != first {
		t.Errorf("the list again: %s", again)
	}
}
