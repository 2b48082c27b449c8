// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/protocol"
)

func TestListEndsWithTheValidateTool(t *testing.T) {
	t.Parallel()
	want, err := json.Marshal(protocol.NewTool("validate"))
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"fail", "fail-coded", "greet", "nothing", "panic", "panic-typed", "read"}
	for _, pageSize := range []int{1, 3, len(own), 1000} {
		for _, version := range []string{"2024-11-05", modernVersion} {
			t.Run(fmt.Sprintf("page=%d/%s", pageSize, version), func(t *testing.T) {
				t.Parallel()
				server, _ := guarded(t, &mcp.ServerOptions{PageSize: pageSize})
				w := open(t, server, version)
				pages := w.list()
				if got, want := len(pages), (len(own)+pageSize-1)/pageSize; got != want {
					t.Errorf("got %d pages, want %d: the validate tool takes no page of its own", got, want)
				}
				if diff := cmp.Diff(append(own[:len(own):len(own)], "validate"), w.names()); diff != "" {
					t.Errorf("tools differ (-want +got):\n%s", diff)
				}
				last := pages[len(pages)-1]
				equalJSON(t, last[len(last)-1], want)
				if diff := cmp.Diff(pages, w.list()); diff != "" {
					t.Errorf("a second listing differs (-first +second):\n%s", diff)
				}
			})
		}
	}
}

// The SDK orders a tool's members its own way; each member is written as package
// protocol writes it.
func TestListedSchemasKeepTheirBytes(t *testing.T) {
	t.Parallel()
	server, _ := guarded(t, nil)
	pages := open(t, server, "2025-11-25").list()
	page := pages[len(pages)-1]
	var got struct {
		InputSchema, OutputSchema json.RawMessage
		Title, Description        string
	}
	unmarshal(t, page[len(page)-1], &got)
	want := protocol.NewTool("validate")
	if diff := cmp.Diff(string(want.InputSchema), string(got.InputSchema)); diff != "" {
		t.Errorf("inputSchema differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(string(want.OutputSchema), string(got.OutputSchema)); diff != "" {
		t.Errorf("outputSchema differs (-want +got):\n%s", diff)
	}
}

func TestListRefusesAForeignCursor(t *testing.T) {
	t.Parallel()
	bare, _ := newServer(nil)
	with, _ := guarded(t, nil)
	want := open(t, bare, "2025-11-25").ask("tools/list", `{"cursor":"nonsense"}`)
	got := open(t, with, "2025-11-25").ask("tools/list", `{"cursor":"nonsense"}`)
	if want.Error == nil || got.line != want.line {
		t.Errorf("got %s, want the SDK's own error %s", got.line, want.line)
	}
}
