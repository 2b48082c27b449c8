// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/driver/redis"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/test/redistest"
	"github.com/toolvet/toolvet/policyfile"
)

// TestPolicyFile holds that two programs which open the same policy file count calls together, and that
// a program without Shared cannot open it.
func TestPolicyFile(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	text := "version: 1\nservers: {s: {}}\nlimits: [{name: one, quota: 1/day}]\nshared: {url: \"" + server.URL() + "\"}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := policyfile.Open(file, policyfile.Options{Server: "s"}); err == nil || !strings.Contains(err.Error(), "policyfile.Options.Shared") {
		t.Errorf("without Shared: %v", err)
	}
	tool, err := call.DecodeTool([]byte(`{"name":"read","inputSchema":{"type":"object"}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		f, err := policyfile.Open(file, policyfile.Options{Server: "s", Shared: redis.New()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close(context.Background()) })
		c, err := call.NewCall(tool, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Server = "s"
		v, ticket := inside.Of(f.Current()).Admit(t.Context(), c, toolvet.PointLibrary)
		if v.Go != want {
			t.Errorf("call %d: %v", i, v)
		}
		if ticket != nil {
			ticket.Release()
		}
	}
}
