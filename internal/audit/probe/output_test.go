// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// withholding reads files within the root, and withholds a text with one of some signs, or a large one, as a whole.
func withholding(signs string) func(root string, a map[string]any) (string, error) {
	return func(root string, a map[string]any) (string, error) {
		at, err := filepath.EvalSymlinks(under(root, text(a, "path")))
		if err != nil || !strings.HasPrefix(at, root+"/") {
			return "", errors.New("not allowed")
		}
		raw, err := os.ReadFile(at)
		if err != nil || len(raw) > bounded || strings.ContainsAny(string(raw), signs) {
			return "", errors.New("withheld")
		}
		return string(raw), nil
	}
}

// untagged removes the tags of the pages that a tool returns, and keeps the text in them, also hidden text.
func untagged(fetch func(string, map[string]any) (string, error)) func(string, map[string]any) (string, error) {
	tags := regexp.MustCompile(`<!--|-->|<[^>]*>`)
	return func(root string, a map[string]any) (string, error) {
		text, err := fetch(root, a)
		return tags.ReplaceAllString(text, " "), err
	}
}

// readSmall reads any file, and ends the server at a large one.
func readSmall(root string, a map[string]any) (string, error) {
	read, err := readFile(under(root, text(a, "path")))
	if len(read) > 90_000 {
		os.Exit(3)
	}
	return read, err
}
