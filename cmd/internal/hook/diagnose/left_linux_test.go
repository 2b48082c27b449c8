// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
)

// marked returns the command lines of the processes that have a variable, without our own.
func marked(t *testing.T, variable string) (lines []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		environment, err := os.ReadFile(file)
		if err != nil || filepath.Base(dir) == strconv.Itoa(os.Getpid()) || !bytes.Contains(environment, []byte(variable)) {
			continue // others may end meanwhile, or be another user's
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(line) > 0 { // a process that has ended has none
			lines = append(lines, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return lines
}

// TestRunLeavesNothing: with a guard and without, no process outlives the trials, also of a hook that starts some.
func TestRunLeavesNothing(t *testing.T) {
	mark := "test-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	t.Setenv("TOOLVET_LEFT", mark)
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nsleep 600 &\nsleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	h, _ := hook.Lookup("claude-code")
	for _, guarded := range []bool{true, false} {
		own := install.Handler{Command: []string{program}, Line: program + " & " + program, Guarded: guarded, Timeout: 200 * time.Millisecond}
		r, err := Run(t.Context(), h, own, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Failures) != len(failures)+2 {
			t.Errorf("%d failures were tried", len(r.Failures))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, ok := firstLine(ctx, program); ok {
		t.Error("a program that hangs said its version")
	}
	if left := marked(t, "TOOLVET_LEFT="+mark); left != nil {
		t.Errorf("these run still: %q", left)
	}
}
