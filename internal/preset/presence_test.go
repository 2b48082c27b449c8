// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// TestPresence judges calls whose files are missing, on the three occasions, with and without a demand of the policy.
func TestPresence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	resolver := ignorant(t)
	demand := func(kind *check.Demand, options any) []policy.Demand {
		return []policy.Demand{{Kind: kind, Options: options}}
	}
	const go3, warns = "go go go", "warns no-go no-go"
	for name, tt := range map[string]struct {
		tool, parameter, more, value string
		demands                      []policy.Demand
		want                         string // live, dry run, unattended
		allowed                      string // unattended, with warnings allowed
	}{
		"reads what is there":        {"read_file", "path", "", "here.txt", nil, go3, "go"},
		"reads what is missing":      {"read_file", "path", "", "none.txt", nil, warns, "warns"},
		"beside a policy":            {"read_file", "path", "", "none.txt", demand(path.Demand, &path.Options{Hidden: new(false)}), warns, "warns"},
		"the policy's own options":   {"read_file", "path", "", ".none", demand(path.Demand, &path.Options{Hidden: new(false)}), "no-go no-go no-go", "no-go"},
		"the policy settles it":      {"read_file", "path", "", "none.txt", demand(path.Demand, &path.Options{Exists: new(false)}), go3, "go"},
		"the policy demands it":      {"read_file", "path", "", "none.txt", demand(path.Demand, &path.Options{Exists: new(true)}), "no-go no-go no-go", "no-go"},
		"writes beside others":       {"write_file", "path", "", "none.txt", nil, go3, "go"},
		"writes below what is there": {"write_file", "path", "", "none/none.txt", nil, "go go no-go", "warns"},
		"makes directories":          {"create_directory", "path", "", "none/none", nil, go3, "go"},
		"changes what is missing":    {"edit_file", "path", "", "none.txt", nil, "go go no-go", "warns"},
		"moves what is missing":      {"move_file", "source", "", "none.txt", nil, "go go no-go", "warns"},
		"moves to a new name":        {"move_file", "destination", "", "none.txt", nil, go3, "go"},
		"moves to nowhere":           {"move_file", "destination", "", "none/none.txt", nil, "go go no-go", "warns"},
		"in a repository elsewhere":  {"read_file", "path", `, "owner": {"type": "string"}`, "none.txt", nil, go3, "go"},
		"an unknown host":            {"fetch", "url", "", "https://missing.invalid/x", nil, "go go no-go", "warns"},
		"an unknown host, a policy":  {"fetch", "url", "", "https://missing.invalid/x", demand(url.Demand, &url.Options{Ports: []int{443}}), "go go no-go", "warns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &policy.Server{Name: "s", World: check.World{Base: dir, Roots: []string{dir}, Resolver: resolver}}
			if tt.demands != nil {
				server.Tools = []policy.Tool{{Pattern: tt.tool, Arguments: []policy.Argument{{Address: policy.Address(tt.parameter), Demands: tt.demands}}}}
			}
			p, err := preset.Apply("standard", &policy.Policy{Servers: []*policy.Server{server}}, suite.Default())
			if err != nil {
				t.Fatal(err)
			}
			gate, err := toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithChecks(suite.Default()...))
			if err != nil {
				t.Fatal(err)
			}
			tool, err := call.DecodeTool([]byte(`{"name": "`+tt.tool+`", "inputSchema": {"type": "object", "properties": {"`+tt.parameter+`": {"type": "string"}`+tt.more+`}}}`), call.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(map[string]string{tt.parameter: tt.value})
			if err != nil {
				t.Fatal(err)
			}
			arguments, err := call.DecodeArguments(raw, call.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			judge := func(who *call.Session, at toolvet.Point) string {
				v := gate.Judge(t.Context(), &call.Call{Server: "s", Name: tool.Name, Tool: tool, Arguments: arguments, Raw: raw, Session: who}, at)
				switch {
				case !v.Go:
					return "no-go"
				case len(v.Findings) > 0:
					return "warns"
				}
				return "go"
			}
			got := strings.Join([]string{judge(nil, toolvet.PointProxy), judge(nil, toolvet.PointValidate), judge(&call.Session{Unattended: true}, toolvet.PointProxy)}, " ")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("live, dry run, unattended (-want +got):\n%s", diff)
			}
			for _, at := range []toolvet.Point{toolvet.PointProxy, toolvet.PointValidate} {
				if got := judge(&call.Session{Unattended: true, AllowWarnings: true}, at); got != tt.allowed {
					t.Errorf("unattended, with warnings: got %s, want %s", got, tt.allowed)
				}
			}
		})
	}
}

// ignorant returns the address of a DNS server that knows no name.
func ignorant(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil || n < 12 {
				return
			}
			b[2], b[3] = 0x81, 0x83 // a response: no such domain
			clear(b[6:12])          // without records
			if _, err := c.WriteTo(b[:n], from); err != nil {
				return
			}
		}
	}()
	return c.LocalAddr().String()
}
