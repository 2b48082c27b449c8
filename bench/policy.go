// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// maxPath is the size of the largest argument, in bytes, that can be a path: a name in a directory.
const maxPath = 255

// writePolicy writes a policy that makes all four layers work on the echo's message, and returns its file. The policy
// has demands for texts, commands and paths, an access rule that allows the call, a limit that is never reached, and
// the default scans of results. A check of a path asks the file system; a message that is too long for a path is only
// a text and a command.
func writePolicy(dir string, size int) (string, error) {
	arguments := fmt.Sprintf("text: {max_length: %d}, command: {max_length: %d, exists: false}", size, size)
	if size <= maxPath {
		arguments += fmt.Sprintf(", path: {within: [%q]}", dir)
	}
	file := filepath.Join(dir, fmt.Sprintf("policy-%d.yaml", size))
	text := "version: 1\n" +
		fmt.Sprintf("servers: {echo: {base: %q, tools: {echo: {arguments: {message: {%s}}}}}}\n", dir, arguments) +
		"rules: [{name: echoes, effect: allow, tools: \"echo:echo\", when: 'session.transport == \"stdio\" && size(args.message) > 0'}, {name: texts, effect: allow, tools: \"echo:text\"}]\n" +
		"limits: [{name: many, tools: \"echo:*\", rate: 10000/s, burst: 10000, concurrency: 1000}]\n"
	return file, os.WriteFile(file, []byte(text), 0o600)
}
