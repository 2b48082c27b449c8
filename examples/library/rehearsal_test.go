// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/rehearse"
)

// A rehearsal shows what a call would change, and changes nothing.
func TestRehearsal(t *testing.T) {
	sandbox := []string{self, "sandbox"}
	var unsupported *rehearse.UnsupportedError
	if err := rehearse.Probe(t.Context(), sandbox); errors.As(err, &unsupported) {
		t.Skip(err)
	}
	dir := t.TempDir()
	s := must(rehearse.Start(t.Context(), rehearse.Config{Command: []string{self, "server"}, Dir: dir, Init: sandbox}))
	defer s.Close()
	s.Call(t.Context(), rehearse.Call{Tool: "touch", Arguments: json.RawMessage(`{"path":"new"}`)})
	report := must(s.Finish(t.Context()))
	if len(report.Changes) != 1 || report.Changes[0].Path != filepath.Join(dir, "new") {
		t.Errorf("got %+v", report.Changes)
	}
	if found := must(filepath.Glob(filepath.Join(dir, "*"))); len(found) > 0 {
		t.Errorf("the call was made: %s", found)
	}
}
