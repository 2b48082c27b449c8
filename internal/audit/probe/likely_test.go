// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/infer"
)

// TestLikely holds what counts as inconclusive where no control call works, and what does not.
func TestLikely(t *testing.T) {
	t.Parallel()
	const files = "Converts a file."
	for _, tt := range []struct {
		name, description, tool string
		want                    infer.Kind
	}{
		{"saveTo", "", "", infer.Path},
		{"save_as", "", "", infer.Path},
		{"inputFile", "", "", infer.Path},
		{"folder", "Where reports go.", "", infer.Path},
		{"output", "", files, infer.Path},
		{"destination", "Directory for the results.", "", infer.Path},
		{"canvas", "Absolute path to the drawing", "", infer.Path},
		{"private_key", "The path of the private key.", "", infer.Path},
		{"where", "Optional. File path; ends in .png", "", infer.Path},
		{"host", "", "", infer.URL},
		{"dbHost", "Where the database is.", "", infer.URL},
		{"website", "The company's website", "", infer.URL},

		{"content", "Content to write to the file", files, ""},
		{"profile", "", files, ""},
		{"destination", "The city to travel to", "", ""},
		{"destination", "", "Books a journey.", ""},
		{"output", "Output format", files, ""},
		{"folder", "ID of the folder", "", ""},
		{"file", "File content in Base64", "", ""},
		{"file", "A file on Google Drive", "", ""},
		{"selector", "The JSON path to the value", "", ""},
		{"host", "ID of the host of the party", "", ""},
		{"ghost", "", "", ""},
		{"query", "What to look for", "Searches the file system.", ""},
		{"career", "Career path of a person", "", ""},
	} {
		u := understand(toolOf(t, tt.tool))
		if got := u.likely(parameter{name: tt.name, description: tt.description}); got != tt.want {
			t.Errorf("%s (%q, %q): got %q, want %q", tt.name, tt.description, tt.tool, got, tt.want)
		}
	}
}

func toolOf(t *testing.T, description string) *call.Tool {
	t.Helper()
	parsed, err := call.DecodeTool([]byte(fmt.Sprintf(`{"name":"x","description":%q,"inputSchema":{"type":"object"}}`, description)), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
