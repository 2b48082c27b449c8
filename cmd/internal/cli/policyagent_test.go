// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// TestKindWords holds that each kind of what presets refuse agents and ask about has words.
func TestKindWords(t *testing.T) {
	t.Parallel()
	for _, name := range preset.Names() {
		refuses, asks := preset.AgentKinds(name, policy.Unasked{})
		if len(refuses) == 0 || len(asks) == 0 {
			t.Errorf("%s: refuses %q and asks about %q", name, refuses, asks)
		}
		for _, kind := range slices.Concat(refuses, asks, policy.Consentable()) {
			if kindWords[kind] == "" {
				t.Errorf("%s: the kind %s has no words", name, kind)
			}
		}
		if _, asks = preset.AgentKinds(name, policy.Unasked{Kinds: []string{"wipe"}}); slices.Contains(asks, "wipe") {
			t.Errorf("%s asks about what the policy lets pass unasked", name)
		}
	}
}

// popularServers are names that common MCP servers have in clients' configurations.
const popularServers = `filesystem github gitlab git memory fetch time sequential-thinking everything puppeteer playwright chrome-devtools browserbase
	postgres sqlite mysql redis mongodb neon supabase elasticsearch qdrant chroma pinecone slack discord telegram whatsapp gmail outlook
	notion obsidian linear jira atlassian confluence asana trello airtable sentry grafana datadog stripe hubspot salesforce shopify
	brave-search tavily exa firecrawl perplexity context7 figma cloudflare vercel aws azure gcp docker kubernetes terraform
	google-drive google-calendar google-maps spotify youtube zapier apify groq serena desktop-commander`

// TestStrayAgents holds that no popular server without a command counts as a misspelt agent, alone or beside another, and that
// misspelt agents do.
func TestStrayAgents(t *testing.T) {
	t.Parallel()
	names := strings.Fields(popularServers)
	for _, name := range names {
		for _, other := range names {
			for _, joined := range []string{name, name + "-" + other} {
				s := &policy.Server{Name: joined, Tools: []policy.Tool{{Pattern: "*"}, {Pattern: "send_message"}}}
				if what, sure := strayAgent(s); sure || what != "" && joined != "groq" {
					t.Errorf("%s: sure %v: %s", joined, sure, what)
				}
			}
		}
	}
	for name, s := range map[string]*policy.Server{
		"Claude_Code": {}, "claud-code": {Tools: []policy.Tool{{Pattern: "Bash"}}}, "clin": {Agent: true}, "mine": {Unasked: policy.Unasked{Hosts: []string{"intranet.example"}}},
	} {
		s.Name = name
		if what, sure := strayAgent(s); !sure || what == "" {
			t.Errorf("%s: sure %v: %s", name, sure, what)
		}
	}
}
