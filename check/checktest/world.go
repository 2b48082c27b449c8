// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// writeFile makes a file of a case file below a directory: "a/" is a directory, "a*" an
// executable file, and "a -> b" a symbolic link.
func writeFile(work, name, text string) error {
	name, target, link := strings.Cut(name, " -> ")
	name, directory := strings.CutSuffix(name, "/")
	name, program := strings.CutSuffix(name, "*")
	if !filepath.IsLocal(name) {
		return errors.New("must be a path below the directory of the case")
	}
	at := filepath.Join(work, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	switch {
	case (link || directory) && text != "":
		return errors.New("must have no text: only files do")
	case link:
		return os.Symlink(filepath.FromSlash(target), at)
	case directory:
		return os.MkdirAll(at, 0o755)
	case program:
		return os.WriteFile(at, []byte(text), 0o755)
	}
	return os.WriteFile(at, []byte(text), 0o644)
}
