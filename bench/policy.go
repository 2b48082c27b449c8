// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// maxPath is the size of the largest argument, in bytes, that can be a path.
const maxPath = 4000

// writePolicy writes a policy that demands of the echo's message what operators demand of
// texts, commands and paths, and returns its file. For a path the file system is asked, too;
// a message that is too long for one is a text and a command alone.
func writePolicy(dir string, size int) (string, error) {
	rules := fmt.Sprintf("text: {max_length: %d}, command: {max_length: %d, exists: false}", size, size)
	if size <= maxPath {
		rules += fmt.Sprintf(", path: {within: [%q]}", dir)
	}
	file := filepath.Join(dir, fmt.Sprintf("policy-%d.yaml", size))
	text := "version: 1\nservers: {echo: {tools: {echo: {arguments: {message: {" + rules + "}}}}}}\n"
	return file, os.WriteFile(file, []byte(text), 0o600)
}
