// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package clientconfig converts the configuration files of MCP clients into policies:
// claude_desktop_config.json, .mcp.json, and the mcp.json of Cursor and VS Code. It also puts servers
// in such a file behind "toolvet proxy".
//
//	file ─ Read ─▶ Config ─▶ Server: its entry in a policy, as templates
//	file ─ Behind ─▶ the same file, each command run by toolvet
//	file ─ Rewriter ─▶ Entry: its text before and behind toolvet; Exchange puts it into the file, and back
//
// A Rewriter also edits the files of Codex (TOML), goose (YAML) and opencode: a dialect turns their entries into those of mcpServers,
// and the changes back.
//
// No template contains a value that may be a secret: the template refers to an environment variable,
// ${NAME}, and a note names it. Only values known to be harmless are copied; all others count as
// secrets.
package clientconfig
