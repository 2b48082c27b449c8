// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/npm"
)

// TestTypeScriptClients connects clients of the TypeScript SDK to a server through the
// proxy: its first release, its first stable one, its newest, and some between.
func TestTypeScriptClients(t *testing.T) {
	t.Parallel()
	everything := npm.Server(t, "everything")
	gosdk := as("as-sdk-server")
	for _, test := range []struct {
		name     string
		script   string
		client   string // the first argument of the script
		server   []string
		protocol string
		asked    []string // what the server can ask the client
	}{
		{"0.4.0", "session-v1.mjs", "sdk-0.4.0", everything, "2024-11-05", nil},
		{"1.0.0", "session-v1.mjs", "sdk-1.0.0", everything, "2024-11-05", []string{"sampled"}},
		{"1.12.1", "session-v1.mjs", "sdk-1.12.1", everything, "2025-03-26", []string{"sampled"}},
		{"1.24.3", "session-v1.mjs", "sdk-1.24.3", everything, "2025-11-25", []string{"sampled", "elicited"}},
		{"1.32.2", "session-v1.mjs", "@modelcontextprotocol/sdk", everything, "2025-11-25", []string{"sampled", "elicited"}},
		{"2.4.0_legacy", "session-v2.mjs", "legacy", everything, "2025-11-25", []string{"sampled", "elicited"}},
		{"2.4.0_falls_back", "session-v2.mjs", "auto", everything, "2025-11-25", []string{"sampled", "elicited"}},
		{"2.4.0_modern", "session-v2.mjs", "2026-07-28", gosdk, "2026-07-28", []string{"sampled", "elicited"}},
		{"2.4.0_negotiates", "session-v2.mjs", "auto", gosdk, "2026-07-28", []string{"sampled", "elicited"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			command := slices.Concat(npm.Script(t, test.script), []string{test.client}, as("as-proxy"), test.server)
			seen := runSession(t, command)
			for tries := 0; len(seen.Progress) == 0 && tries < 4; tries++ {
				// Clients forget who waits for progress when the answer comes, and look at
				// progress later: on a busy machine both come at once, also without a proxy.
				seen = runSession(t, command)
			}
			if seen.Protocol != test.protocol {
				t.Errorf("the client speaks %s, want %s", seen.Protocol, test.protocol)
			}
			seen.check(t)
			asked := seen.Sampling.text()
			for _, c := range seen.Elicitation.Content {
				asked += c.Text
			}
			for _, want := range test.asked {
				if !strings.Contains(asked, want) {
					t.Errorf("the server asked the client and got %q, want %q in it", asked, want)
				}
			}
		})
	}
}

// sessionReport is what session.mjs prints.
type sessionReport struct {
	Protocol   string
	Capability struct {
		Supported bool
		Method    string
	}
	Tools                          []string
	Good, Bad, BadWithOutputSchema callResult
	Valid, Invalid                 callResult
	Progress                       []float64
	Canceled                       *bool // nil: the client does not know how
	Sampling, Elicitation          callResult
	Done                           bool
	Error                          string
}

func runSession(t *testing.T, command []string) sessionReport {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var seen sessionReport
	if json.Unmarshal(out, &seen) != nil || err != nil || !seen.Done {
		t.Fatalf("the session failed: %v\n%s\n%s\n%s", err, seen.Error, out, stderr.String())
	}
	return seen
}

func (seen *sessionReport) check(t *testing.T) {
	t.Helper()
	if !seen.Capability.Supported || seen.Capability.Method != "validate" {
		t.Errorf("announced capability %+v", seen.Capability)
	}
	if n := len(seen.Tools); n < 3 || !slices.Equal(seen.Tools[n-2:], []string{"validate", "validate_batch"}) {
		t.Errorf("tools %q, want validate and its batch tool last", seen.Tools)
	}
	if got, want := seen.Good.text(), "Echo: h\u00e4llo \U0001F600"; got != want {
		t.Errorf("good call: %q, want %q", got, want)
	}
	for name, bad := range map[string]callResult{"/message": seen.Bad, "Chicago": seen.BadWithOutputSchema} {
		if !bad.IsError || !strings.Contains(bad.text(), name) {
			t.Errorf("bad call: %+v, want an error that names %s", bad, name)
		}
	}
	for want, result := range map[bool]callResult{true: seen.Valid, false: seen.Invalid} {
		var got struct {
			Valid  *bool
			Errors []string
		}
		if err := json.Unmarshal([]byte(result.text()), &got); err != nil || got.Valid == nil || *got.Valid != want || want != (len(got.Errors) == 0) {
			t.Errorf("validate: %s (%v), want valid: %v", result.text(), err, want)
		}
	}
	// The SDK drops a notification that arrives together with the result.
	if len(seen.Progress) == 0 || !slices.IsSorted(seen.Progress) {
		t.Errorf("progress %v", seen.Progress)
	}
	if seen.Canceled != nil && !*seen.Canceled {
		t.Error("a canceled call was answered")
	}
}
