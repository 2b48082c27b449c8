// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestAskedInLog holds that the log has what the answer says of a call beyond the call itself: questions of implied calls, of tools that need a person
// whatever they say, and of unknown servers, and refusals of implied calls.
func TestAskedInLog(t *testing.T) {
	for name, c := range map[string]struct {
		tool, input    string
		decision, want string
	}{
		"a cell that asks":                {"NotebookEdit", `{"notebook_path":"/repo/x.ipynb","new_source":"!sudo ls"}`, "ask", `"tool":"implied","point":"proxy","request":"(1 bytes`},
		"a cell that is refused":          {"NotebookEdit", `{"notebook_path":"/repo/x.ipynb","new_source":"!cat ~/.ssh/id_rsa"}`, "deny", `"tool":"implied"`},
		"a tool that asks":                {"CronCreate", `{"cron":"* * * * *","prompt":"x"}`, "ask", `"verdict":"ask","findings":[{"check":"implied"`},
		"outside the sandbox":             {"Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, "ask", `"verdict":"ask","findings":[{"check":"implied"`},
		"code of a tool that no list has": {"execute", `{"code":"def f(:"}`, "ask", `"verdict":"ask","findings":[{"check":"implied"`},
		"an unknown server":               {"mcp__nobody__look", `{}`, "ask", `"verdict":"ask","findings":[{"check":"implied"`},
		"nothing":                         {"Bash", `{"command":"ls"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "log.jsonl")
			if err := os.WriteFile(file, []byte("version: 1\nlog: {file: "+log+"}\nservers:\n  claude-code:\n    agent: true\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			j := newJudge(t)
			d, why := decision(t, j, &link.Request{Host: "claude-code", Dir: "/repo", Policy: file, Payload: []byte(`{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"` + c.tool + `","tool_input":` + c.input + `,"tool_use_id":"t"}`)})
			if d != c.decision {
				t.Errorf("%q, want %q: %s", d, c.decision, why)
			}
			raw, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(raw), c.want) {
				t.Errorf("the log lacks %s:\n%s", c.want, raw)
			}
			if asks := strings.Contains(string(raw), `"implied"`); c.want == "" && asks {
				t.Errorf("the log has a question that nobody asked:\n%s", raw)
			}
		})
	}
}
