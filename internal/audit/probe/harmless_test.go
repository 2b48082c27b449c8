// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

// TestHarmlessCommand holds that the harmless calls of a tool that runs commands have a real command, unless its schema has a value. A call with none
// fails whatever a policy lets pass, so that a comparison would blame the policy.
func TestHarmlessCommand(t *testing.T) {
	t.Parallel()
	for property, want := range map[string]string{
		`{"type": "string"}`:                          "ls",
		`{"type": "string", "examples": ["git log"]}`: "git log",
		`{"type": "string", "default": "make"}`:       "make",
	} {
		parsed, err := call.DecodeTool([]byte(`{"name": "run_command", "description": "Runs a shell command.",
			"inputSchema": {"type": "object", "properties": {"command": `+property+`}, "required": ["command"]}}`), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]any{"command": want}, understand(parsed).sample(new(world))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", property, diff)
		}
	}
}

// editTool shows the file that an edit changes, so that its new text seems to name it, however it is called.
const editTool = `{"name":"edit_file","description":"Changes a file, and shows it.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},
	"edits":{"type":"array","items":{"type":"object","properties":{"newText":{"type":"string"},"content":{"type":"string"},"body":{"type":"string"},"patch":{"type":"string"},"replacement":{"type":"string"}},
	"required":["newText"]}}},"required":["path","edits"]}}`

func editGuarded(root string, a map[string]any) (string, error) {
	before, err := readGuarded(root, a)
	if err != nil {
		return "", err
	}
	a["content"] = before + "edited"
	_, err = writeGuarded(root, a)
	return before, err
}
