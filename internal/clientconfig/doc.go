// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package clientconfig reads the files in which MCP clients keep their servers, for a
// policy: claude_desktop_config.json, .mcp.json, and the mcp.json of Cursor and VS Code. It
// also puts servers in such a file behind "toolvet proxy".
//
//	file ─ Read ─▶ Config ─▶ Server: what a policy says of it, as templates
//	file ─ Behind ─▶ the same file, each command run by toolvet
//
// Nothing that may be a secret gets into a template: where the file has one, the template
// refers to an environment variable, ${NAME}, and a note says which. What is copied is known
// to be harmless; everything else is taken for a secret.
package clientconfig
