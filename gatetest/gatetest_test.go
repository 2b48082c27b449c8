// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gatetest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/gatetest"
)

const listed = `{"tools":[{"name":"read_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}`

// A failing test that remembers what it was told.
type failing struct {
	testing.TB
	told []string
}

func (f *failing) Helper()           {}
func (f *failing) Error(args ...any) { f.told = append(f.told, fmt.Sprint(args...)) }
func (f *failing) Errorf(format string, args ...any) {
	f.told = append(f.told, fmt.Sprintf(format, args...))
}

// TestHelpers holds that each helper passes what is right, and fails for what is not.
func TestHelpers(t *testing.T) {
	t.Parallel()
	gate := func(tool string) *toolvet.Gate {
		g, err := toolvet.New(toolvet.WithTool(tool, toolvet.Argument("path", toolvet.Require(path.Demand, func(o *path.Options) { o.Within = []string{"/srv"} }))))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	right, tools := gate("read_file"), gatetest.Tools(t, []byte(listed))
	inside, outside := map[string]string{"path": "/srv/a"}, map[string]string{"path": "/etc/passwd"}
	gatetest.Matched(t, right, tools)
	gatetest.Go(t, right, tools, "read_file", inside)
	gatetest.NoGo(t, right, tools, "read_file", outside, "[path]")
	gatetest.NoGo(t, right, tools, "raed_file", inside, "[known-tool]")
	for want, run := range map[string]func(*failing){
		`did you mean "read_file"`: func(f *failing) { gatetest.Matched(f, gate("raed_file"), tools) },
		"[path]":                   func(f *failing) { gatetest.Go(f, right, tools, "read_file", outside) },
		"want a no-go":             func(f *failing) { gatetest.NoGo(f, right, tools, "read_file", inside, "[path]") },
		"want is empty":            func(f *failing) { gatetest.NoGo(f, right, tools, "raed_file", inside, "") },
		`with "other"`:             func(f *failing) { gatetest.NoGo(f, right, tools, "read_file", outside, "other") },
		"further pages":            func(f *failing) { gatetest.Tools(f, []byte(`{"tools":[],"nextCursor":"x"}`)) },
	} {
		f := &failing{TB: t}
		run(f)
		if told := strings.Join(f.told, "\n"); !strings.Contains(told, want) {
			t.Errorf("want %q, got %q", want, told)
		}
	}
}
