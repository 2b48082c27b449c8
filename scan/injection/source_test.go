// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSource holds that source code passes: of Go's own, some megabytes with tests and
// tables of characters and keys, one file in five hundred at most is touched.
func TestSource(t *testing.T) {
	t.Parallel()
	root := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the source of Go's libraries is not here: ", err)
	}
	var c tally
	for _, dir := range []string{"bufio", "crypto", "encoding", "go", "html", "mime", "net", "os", "regexp", "strings", "text", "unicode"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			found := Scan(string(text))
			c.add(len(found) > 0)
			if len(found) > 0 {
				t.Logf("%s: %v", name, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.rows == 0 || c.flagged*500 > c.rows {
		t.Errorf("%d of %d files are touched", c.flagged, c.rows)
	}
}
