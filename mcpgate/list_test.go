// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/mcpgate"
)

func TestListEndsWithTheValidateTool(t *testing.T) {
	t.Parallel()
	var want [][]byte
	for _, definition := range ownTools() {
		raw, err := json.Marshal(definition)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, raw)
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
					t.Errorf("got %d pages, want %d: the tools of toolvet take no page of their own", got, want)
				}
				if diff := cmp.Diff(append(own[:len(own):len(own)], "validate", "validate_batch"), w.names()); diff != "" {
					t.Errorf("tools differ (-want +got):\n%s", diff)
				}
				last := pages[len(pages)-1]
				equalJSON(t, last[len(last)-2], want[0])
				equalJSON(t, last[len(last)-1], want[1])
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
	for i, want := range ownTools() {
		var got struct {
			InputSchema, OutputSchema json.RawMessage
		}
		unmarshal(t, page[len(page)-2+i], &got)
		if diff := cmp.Diff(string(want.InputSchema), string(got.InputSchema)); diff != "" {
			t.Errorf("inputSchema differs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(string(want.OutputSchema), string(got.OutputSchema)); diff != "" {
			t.Errorf("outputSchema differs (-want +got):\n%s", diff)
		}
	}
}

// ownTools are the definitions of what toolvet lists.
func ownTools() []protocol.Tool {
	return []protocol.Tool{protocol.NewTool("validate"), protocol.NewBatchTool("validate", 100)}
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

// What a session may not see is in no list, and answered as what does not exist; what only
// stands in no list is judged as ever.
func TestListLeavesOut(t *testing.T) {
	t.Parallel()
	except := func(name string) func(context.Context, *call.Call) bool {
		return func(_ context.Context, c *call.Call) bool { return c.Name != name }
	}
	gate, err := toolvet.New(toolvet.WithInside(engine.Parts{Visible: except("read")}), toolvet.WithInside(engine.Parts{Listed: except("greet")}))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"2025-11-25", modernVersion} {
		server, _ := newServer(&mcp.ServerOptions{PageSize: 1})
		if err := mcpgate.Install(server, gate); err != nil {
			t.Fatal(err)
		}
		w := open(t, server, version)
		want := []string{"fail", "fail-coded", "nothing", "panic", "panic-typed", "validate", "validate_batch"}
		if diff := cmp.Diff(want, w.names()); diff != "" {
			t.Errorf("tools differ (-want +got):\n%s", diff)
		}
		for _, calls := range [][2]string{{"read", "raed"}, {"validate", "validate"}} {
			var answers []string
			for i, name := range calls {
				asked := []string{"read", "raed"}[i]
				arguments := `{"path":5}`
				if name == "validate" {
					arguments = `{"tool":"` + asked + `","arguments":{"path":5}}`
				}
				line := w.call(name, arguments).line
				_, line, _ = strings.Cut(line, `"id":`)
				answers = append(answers, strings.ReplaceAll(strings.TrimLeft(line, "0123456789"), asked, "NAME"))
			}
			if diff := cmp.Diff(answers[1], answers[0]); diff != "" {
				t.Errorf("%s: a hidden tool is answered otherwise (-unknown +hidden):\n%s", version, diff)
			}
		}
		if got := w.call("greet", `{"name":"Ann","times":1}`).line; strings.Contains(got, "unknown tool") || strings.Contains(got, `"isError":true`) {
			t.Errorf("a call of what is in no list: %s", got)
		}
	}
}

// The lock compares what the server lists, of which the client reads what is left without a
// secret.
func TestPinnedSecret(t *testing.T) {
	t.Parallel()
	const token = "glpat-Xk29fLq0ZpWv7TbN3mRs"
	listing := func(description string) *mcp.Server {
		server := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "add", Description: description, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		return server
	}
	const description = "For example token=" + token
	tool, err := call.DecodeTool(open(t, listing(description), "2025-11-25").list()[0][0], call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	lock := new(pin.Lock).Accept(pin.DefaultServer, new(pin.Lock).Compare(pin.DefaultServer, call.NewCatalog([]*call.Tool{tool})))
	gate, err := toolvet.New(toolvet.WithMoreChecks(pin.NewCheck(lock, pin.Options{})), toolvet.WithInside(engine.Parts{Listed: pin.NewListing(lock, pin.Options{}, nil)}))
	if err != nil {
		t.Fatal(err)
	}
	for text, accepted := range map[string]bool{description: true, strings.Replace(description, "Xk", "Yk", 1): false} {
		server := listing(text)
		if err := mcpgate.Install(server, gate); err != nil {
			t.Fatal(err)
		}
		w := open(t, server, "2025-11-25")
		list := w.ask("tools/list", "{}").line
		if strings.Contains(list, token[8:]) || strings.Contains(list, `"name":"add"`) != accepted {
			t.Errorf("accepted: %v, the client reads %s", accepted, list)
		}
		if got := w.call("add", "{}").line; strings.Contains(got, "not the accepted one") == accepted {
			t.Errorf("accepted: %v, a call: %s", accepted, got)
		}
	}
}
