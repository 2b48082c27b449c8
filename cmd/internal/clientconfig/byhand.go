// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A CommandLine is the place of a server's command in a file that only a person edits.
type CommandLine struct {
	Server string
	Line   int // from 1
}

var (
	tomlServer = lazyregexp.New(`^\s*\[\s*mcp_servers\s*\.\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*\]`)
	yamlServer = lazyregexp.New(`^ +("[^"]*"|'[^']*'|[^\s"'#:][^:]*):\s*(#.*)?$`)
	jsonServer = lazyregexp.New(`^\s*("(?:[^"\\]|\\.)*")\s*:\s*\{`)
	ofServer   = lazyregexp.New(`^\s*(command\s*=|cmd\s*:\s*\S|"command"\s*:)|[{,]\s*"command"\s*:`)
)

// Commands finds the commands of servers by their lines: in Codex's TOML, goose's YAML and opencode's JSON. It is help for a reader, and may
// miss one.
func Commands(text []byte) (out []CommandLine) {
	server, n := "", 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		for _, form := range []*lazyregexp.Regexp{tomlServer, yamlServer, jsonServer} {
			if m := form.FindSubmatch(line); m != nil {
				server = strings.Trim(string(m[1]), `"'`)
				break
			}
		}
		switch {
		case ofServer.Match(line) && server != "":
			out = append(out, CommandLine{strictjson.Printable(server, 64), n})
			server = ""
		case bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) && !tomlServer.Match(line): // another table
			server = ""
		}
	}
	return out
}
