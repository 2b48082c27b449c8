// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

// A pair is a published vulnerability of a package on npm: a vulnerable version and the fixed one.
type pair struct {
	name, vulnerable, fixed string
	advisory                string
	class                   string   // as in the rubric
	args                    []string // of the server
	env                     []string
}

var pairs = []pair{
	{name: "figma-developer-mcp", vulnerable: "0.6.0", fixed: "0.6.4", advisory: "CVE-2025-53967", class: "command", args: []string{"--stdio", "--figma-api-key=none"}},
	{name: "@modelcontextprotocol/server-filesystem", vulnerable: "0.6.2", fixed: "2025.7.1", advisory: "CVE-2025-53110", class: "path", args: []string{"{ROOT}"}},
	{name: "mcp-searxng", vulnerable: "1.7.0", fixed: "1.8.0", advisory: "GHSA-mrvx-jmjw-vggc", class: "url", env: []string{"SEARXNG_URL=http://searx.example.org"}},
	{name: "@apify/actors-mcp-server", vulnerable: "0.9.11", fixed: "0.9.22", advisory: "CVE-2026-46341", class: "url", args: []string{"--tools=docs"}, env: []string{"APIFY_TOKEN=none"}},
	{name: "mcp-server-kubernetes", vulnerable: "2.9.6", fixed: "4.1.2", advisory: "CVE-2026-39884", class: "command"},
	{name: "@mobilenext/mobile-mcp", vulnerable: "0.0.48", fixed: "0.0.58", advisory: "CVE-2026-33989", class: "path"},
}
