// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Toolschemas turns the declarations of Claude Code's built-in tools into a catalog of tools. They are in
// sdk-tools.d.ts of the npm package @anthropic-ai/claude-agent-sdk. From the root of the module cmd:
//
//	go run ./internal/gen/toolschemas FILE >internal/hook/builtin/catalogs/claude-code.json
//
// Of a description, the first sentence stays. No schema is closed: the next version of a host has parameters that this
// one does not know.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "toolschemas:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: go run ./internal/gen/toolschemas FILE, where FILE is sdk-tools.d.ts")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	tools, err := convert(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	e := json.NewEncoder(stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(tools)
}

// A tool is an entry of a catalog.
type tool struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	InputSchema *schema `json:"inputSchema"`
}

// names are the tools whose interface has another name.
var names = map[string]string{
	"FileEdit":           "Edit",
	"FileRead":           "Read",
	"FileWrite":          "Write",
	"ListMcpResources":   "ListMcpResourcesTool",
	"ReadMcpResource":    "ReadMcpResourceTool",
	"ReadMcpResourceDir": "ReadMcpResourceDirTool",
}

// does are descriptions of tools, since the declarations have none.
var does = map[string]string{
	"Bash":    "Runs a shell command.",
	"Monitor": "Runs a shell command and watches its output.",
	"Read":    "Reads a file.",
	"Write":   "Writes a file.",
	"Edit":    "Edits a file.",
}

// convert returns the tools that a file of declarations has, in its order.
func convert(text string) ([]tool, error) {
	p := &parser{lexer: lexer{text: text}, declared: map[string]*schema{}}
	p.next()
	order, err := p.file()
	if err != nil {
		return nil, err
	}
	var tools []tool
	for _, name := range order {
		short, ok := strings.CutSuffix(name, "Input")
		if !ok || short == "Mcp" { // the input of any MCP tool
			continue
		}
		if n, ok := names[short]; ok {
			short = n
		}
		tools = append(tools, tool{short, does[short], p.declared[name]})
	}
	// PowerShell has no declaration. PreSkillShellCommand of sdk.d.ts names it beside Bash, with a command.
	if p.declared["BashInput"] != nil {
		tools = append(tools, tool{"PowerShell", "Runs a shell command.", p.declared["BashInput"]})
	}
	if len(tools) == 0 {
		return nil, fmt.Errorf("there is no interface whose name ends in Input")
	}
	return tools, nil
}
