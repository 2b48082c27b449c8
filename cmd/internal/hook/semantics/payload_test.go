// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

// TestPayload: each host's own decoder reads the payload as a call of its shell, in the directory.
func TestPayload(t *testing.T) {
	for _, h := range hook.Hosts() {
		stdin, env := Payload(h.Name, "/repo", "rm -x")
		vars := map[string]string{}
		for _, v := range env {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		e, err := h.Decode(stdin, func(name string) string { return vars[name] })
		if err != nil || e.Kind != hook.BeforeTool || e.Tool == "" || !strings.Contains(string(e.Input), "rm -x") {
			t.Errorf("%s: %+v, %v", h.Name, e, err)
		}
		if e.Dir != "/repo" && !strings.Contains(string(e.Input), "/repo") {
			t.Errorf("%s: the directory is missing: %+v", h.Name, e)
		}
	}
	if stdin, _ := Payload("emacs", "/repo", "ls"); stdin != nil {
		t.Errorf("a payload of an unknown host: %s", stdin)
	}
}
