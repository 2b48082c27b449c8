// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"fmt"
	"testing"

	"github.com/toolvet/toolvet/call"
)

// TestReading holds which tools read a file for which arguments, and that no other tool does.
func TestReading(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, properties, required, want string
	}{
		{"read_file", `"path":{"type":"string"},"head":{"type":"number"}`, `"path"`, `{"path":"/a/b"}`},
		{"read_multiple_files", `"paths":{"type":"array","items":{"type":"string"}}`, `"paths"`, `{"paths":["/a/b"]}`},
		{"get_file_info", `"path":{"type":"string"}`, ``, `{"path":"/a/b"}`},
		{"read_file", `"file/path":{"type":"string","description":"Path of the file"}`, `"file/path"`, `{"file/path":"/a/b"}`},
		{"read_file", `"path":{"type":"string"},"why":{"type":"string"}`, `"path","why"`, ``},
		{"read_file", `"in":{"type":"object","properties":{"path":{"type":"string"}}}`, ``, ``},
		{"write_file", `"path":{"type":"string"}`, `"path"`, ``},
		{"read_and_delete", `"path":{"type":"string"}`, `"path"`, ``},
		{"get_weather", `"city":{"type":"string"}`, `"city"`, ``},
	} {
		tool := &call.Tool{Name: tt.name, InputSchema: fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s]}`, tt.properties, tt.required)}
		if got := string(Reading(tool, "/a/b")); got != tt.want {
			t.Errorf("%s {%s}: got %s, want %s", tt.name, tt.properties, got, tt.want)
		}
	}
	if got := Reading(&call.Tool{Name: "read_file", InputSchema: []byte("no schema")}, "/a"); got != nil {
		t.Errorf("without a schema: %s", got)
	}
}
