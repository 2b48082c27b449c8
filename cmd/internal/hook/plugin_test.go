// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/test/need"
)

// TestMain makes the test program a hook for the plugin: it decodes what the plugin sends, and answers as the
// environment says.
func TestMain(m *testing.M) {
	if answer := os.Getenv("HOOK_TEST_ANSWER"); answer != "" {
		os.Exit(pluginHook(answer))
	}
	os.Exit(m.Run())
}

func pluginHook(answer string) int {
	switch answer {
	case "silent":
		return 0
	case "garbage":
		os.Stdout.WriteString("all fine\n")
		return 0
	case "crash":
		os.Stdout.WriteString(`{"decision":"allow"}`)
		return 1
	}
	h, _ := hook.Lookup("opencode")
	var raw json.RawMessage
	var r hook.Reply
	if err := json.NewDecoder(os.Stdin).Decode(&raw); err != nil {
		r = h.Refuse(err.Error())
	} else if e, err := h.Decode(raw, os.Getenv); err != nil {
		r = h.Refuse(err.Error())
	} else {
		a := hook.Answer{Reason: e.Tool + " with " + string(e.Input) + " in " + e.Dir + "."}
		switch answer {
		case "allow":
			a.Decision = hook.Allow
		case "ask":
			a.Decision = hook.Ask
		}
		if answer == "allow" && e.Kind == hook.AfterTool {
			a.Output = json.RawMessage(`"replaced"`)
		}
		r = h.Encode(e, a)
	}
	os.Stdout.Write(r.Stdout)
	os.Stderr.Write(r.Stderr)
	return r.Exit
}

// TestPlugin runs the plugin in stand-ins for its three hosts, with every answer and failure of toolvet.
func TestPlugin(t *testing.T) {
	node := need.Node.Program(t, "node")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "toolvet.mjs"), hook.Plugin, 0o600); err != nil {
		t.Fatal(err)
	}
	hosts, err := os.ReadFile("testdata/pluginhosts.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hosts.mjs"), hosts, 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		refused = `bash with {"command":"ls"} in /work/dir.`
		// OpenClaw does not tell a directory.
		unplaced = `bash with {"command":"ls"} in .`
		confirm  = " The user would have to confirm this: allow it in the policy of toolvet, or run it yourself."
		silent   = "toolvet gave no answer, so nothing may run."
		missing  = "toolvet cannot be started, so nothing may run."
	)
	type outcome struct {
		OpenCode string `json:"opencode"`
		Output   string `json:"output"`
		Pi       string `json:"pi"`
		PiUI     string `json:"piUI"`
		PiOutput string `json:"piOutput"`
		OpenClaw string `json:"openclaw"`
	}
	all := func(reason string) outcome {
		return outcome{"blocked: " + reason, reason, "blocked: " + reason, "blocked: " + reason, reason, "blocked: " + reason}
	}
	for answer, want := range map[string]outcome{
		"allow":  {"ran", "replaced", "ran", "ran", "replaced", "ran"},
		"deny":   {"blocked: " + refused, refused, "blocked: " + refused, "blocked: " + refused, refused, "blocked: " + unplaced},
		"ask":    {"blocked: " + refused + confirm, refused, "blocked: " + refused + confirm, "ran", refused, "asked: " + unplaced},
		"silent": all(silent), "garbage": all(silent), "crash": all(silent), "missing": all(missing),
	} {
		t.Run(answer, func(t *testing.T) {
			program := self
			if answer == "missing" {
				program = filepath.Join(dir, "nothing")
			}
			cmd := exec.Command(node, "hosts.mjs")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TOOLVET="+program, "HOOK_TEST_ANSWER="+answer)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got outcome
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
