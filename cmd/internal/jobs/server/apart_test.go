// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestApart: a session can neither see nor change nor detect the jobs of others.
func TestApart(t *testing.T) {
	t.Parallel()
	server := newServer(t, true)
	ann, bob := connectAs(t, server, "ann"), connectAs(t, server, "bob")
	made, _ := use(t, ann, "create", `{"name":"job","tool":"files:read","schedule":"every hour","tags":["secret"]}`)
	ran, _ := use(t, ann, "trigger", `{"job":"job"}`)
	var job, run struct{ ID string }
	if err := json.Unmarshal([]byte(made), &job); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(ran), &run); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"job", job.ID} {
		for _, tool := range []string{"get", "pause", "resume", "delete", "trigger", "update", "executions"} {
			arguments := `{"job":"` + id + `"}`
			if tool == "update" {
				arguments = `{"job":"` + id + `","changes":{"tool":"files:missing"}}`
			}
			if text, failed := use(t, bob, tool, arguments); !failed || !strings.Contains(text, "no such job") {
				t.Errorf("Bob: %s %s: %s", tool, id, text)
			}
		}
		if _, err := bob.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "schedule://jobs/" + id}); err == nil {
			t.Errorf("Bob reads the job %s", id)
		}
	}
	for _, tool := range []string{"retrieve", "cancel", "replay"} {
		if text, failed := use(t, bob, tool, `{"run":"`+run.ID+`"}`); !failed || !strings.Contains(text, "no such") {
			t.Errorf("Bob: %s of the run: %s", tool, text)
		}
	}
	if _, err := bob.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "schedule://runs/" + run.ID}); err == nil {
		t.Error("Bob reads the run")
	}
	for tool, want := range map[string]string{"list": `{"jobs":[]}`, "executions": `{"runs":[]}`} {
		if text, _ := use(t, bob, tool, `{}`); text != want {
			t.Errorf("Bob: %s: %s", tool, text)
		}
	}
	if text, _ := use(t, bob, "list", `{"search":"job","tag":"secret"}`); text != `{"jobs":[]}` {
		t.Errorf("Bob finds %s", text)
	}
	if text, failed := use(t, bob, "create", `{"name":"job","tool":"files:read","schedule":"every hour"}`); failed {
		t.Errorf("Bob cannot use the name: %s", text)
	}
	if text, _ := use(t, ann, "list", `{}`); strings.Count(text, `"id"`) != 1 || !strings.Contains(text, `"state":"active"`) {
		t.Errorf("Ann's jobs are %s", text)
	}
}
