// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolvet/toolvet/internal/terminal"
)

// A nextStep is a useful command in a directory that has a file.
type nextStep struct {
	file    string // a pattern; "" is every directory
	command string
	purpose string
}

// nextStepList begins with what is most specific to the directory.
var nextStepList = []nextStep{
	{"toolvet.yaml", "toolvet policy", "read in words what the policy permits"},
	{"toolvet.yaml", "toolvet policy lint", "find its gaps"},
	{"toolvet.yaml", "toolvet serve", "put its servers behind one endpoint"},
	{"*.test.yaml", "toolvet policy test", "run the tests of the policy"},
	{"toolvet-schedule.db", "toolvet schedule list", "see the scheduled jobs"},
	{".mcp.json", "toolvet setup --client claude-code", "put toolvet in front of the servers of .mcp.json"},
	{".vscode/mcp.json", "toolvet setup --client vscode", "put toolvet in front of the servers of VS Code"},
	{".cursor/mcp.json", "toolvet setup --client cursor", "put toolvet in front of the servers of Cursor"},
	{"", "toolvet demo", "see toolvet refuse a call, in ten seconds"},
	{"", "toolvet setup", "put toolvet in front of the MCP servers and agents on this machine"},
	{"", "toolvet hook install", "judge every call of the coding agents on this machine"},
	{"", "toolvet proxy COMMAND", "stand in front of an MCP server that COMMAND starts"},
	{"", "toolvet audit COMMAND", "grade such a server"},
	{"", "toolvet --help", "list all commands"},
}

// nextSteps is what toolvet says if it is called without a command.
func nextSteps(dir string) terminal.Text {
	var b strings.Builder
	here, anywhere := "", "Commands to begin with:\n"
	for _, s := range nextStepList {
		line := fmt.Sprintf("  %-40s %s\n", s.command, s.purpose)
		if s.file == "" {
			anywhere += line
			continue
		}
		if found, err := filepath.Glob(filepath.Join(dir, s.file)); err == nil && len(found) > 0 && isFile(found[0]) {
			here += line
		}
	}
	b.WriteString("toolvet vets MCP tool calls before they run.\n\n")
	if here != "" {
		b.WriteString("In this directory:\n" + here + "\n")
	}
	b.WriteString(anywhere)
	return terminal.Text(b.String())
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
