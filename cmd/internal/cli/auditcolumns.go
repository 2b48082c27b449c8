// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"io"
	"os"
	"unicode/utf16"

	"github.com/toolvet/toolvet/internal/audit"
)

// maxCode bounds the files that get columns, in bytes.
const maxCode = 16 << 20

// A columns counts columns of the files in a directory, as editors and SARIF do: in UTF-16 code units.
type columns struct {
	dir   *os.Root
	files map[string][][]byte // lines, by the name of the file
}

// inUTF16 converts columns from bytes to UTF-16 code units. If a file can no longer be read, it removes
// its columns.
func inUTF16(dir string, facts []audit.Fact) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	c := columns{root, map[string][][]byte{}}
	for _, f := range facts {
		for i := range f.Flow {
			p := &f.Flow[i]
			p.Col = c.column(p)
		}
	}
	return nil
}

func (c *columns) column(p *audit.Place) int {
	lines := c.lines(p.File)
	if p.Col < 1 || p.Line < 1 || p.Line > len(lines) || p.Col-1 > len(lines[p.Line-1]) {
		return 0
	}
	return len(utf16.Encode([]rune(string(lines[p.Line-1][:p.Col-1])))) + 1
}

func (c *columns) lines(file string) [][]byte {
	if lines, ok := c.files[file]; ok {
		return lines
	}
	var lines [][]byte
	if f, err := c.dir.Open(file); err == nil {
		if raw, err := io.ReadAll(io.LimitReader(f, maxCode)); err == nil {
			lines = bytes.Split(raw, []byte("\n"))
		}
		f.Close()
	}
	c.files[file] = lines
	return lines
}
