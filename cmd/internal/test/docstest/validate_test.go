// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A dryRun is what toolvet says of a call, from a file or by the validate tool.
type dryRun struct {
	Valid       bool     `json:"valid"`
	Errors      []string `json:"errors"`
	Warnings    []string `json:"warnings"`
	Suggestions any      `json:"suggestions"`
}

// validated holds that an agent that calls the tool validate is told what a session's
// "toolvet check" prints: docs/sessions.md says so.
func (s session) validated(t *testing.T, command string, start func(command string) *exec.Cmd) {
	t.Helper()
	words, server, ok := strings.Cut(command, " -- ")
	if !ok || !strings.HasPrefix(words, "toolvet check --policy ") {
		t.Fatalf("%s: %q is not of the form that this test knows", s.document, command)
	}
	fields := strings.Fields(words)
	policy, files := fields[3], fields[4:]
	proxy := start("exec toolvet proxy --policy " + policy + " -- " + server)
	client := mcp.NewClient(&mcp.Implementation{Name: "docstest", Version: "1"}, nil)
	agent, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: proxy}, nil)
	if err != nil {
		t.Fatalf("%s: %s: %v", s.document, proxy, err)
	}
	defer agent.Close()
	for _, file := range files {
		check := start("toolvet check --json --policy " + policy + " " + file + " -- " + server)
		out, _ := check.Output() // what it prints says whether it worked
		var want dryRun
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatalf("%s: %s: %v", s.document, check, err)
		}
		call, err := os.ReadFile(filepath.Join(check.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "validate", Arguments: json.RawMessage(call)})
		if err != nil {
			t.Fatalf("%s: validate of %s: %v", s.document, file, err)
		}
		var got dryRun
		structured, err := json.Marshal(answer.StructuredContent)
		if err == nil {
			err = json.Unmarshal(structured, &got)
		}
		if err != nil {
			t.Fatalf("%s: validate of %s: %v", s.document, file, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: validate of %s says something else (-check +validate):\n%s", s.document, file, diff)
		}
	}
}
