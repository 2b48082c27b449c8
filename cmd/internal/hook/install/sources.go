// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

// sources are where the files and their members come from, as far as hook.Host.Verified does not cover them. All were read
// on 2026-11-28.
var sources = map[string]string{
	"claude-code": "npm @anthropic-ai/claude-agent-sdk 0.3.332, sdk.d.ts (Settings.hooks)",
	"codex":       "github openai/codex, codex-rs/config/src/hook_config.rs; command_runner.rs: $SHELL -lc",
	"gemini":      "github google-gemini/gemini-cli, docs/hooks/reference.md; the managed file from memory",
	"antigravity": "from third parties: safe-chains HARNESS-BEHAVIORS.md (agy 1.1.2), skillsaw docs/rules/antigravity-hooks-valid.md (1.1.25)",
	"copilot":     "github github/docs, content/copilot/reference/hooks-reference.md at 05da5bc3",
	"vscode":      "github microsoft/vscode-docs, docs/agent-customization/hooks.md at 00a75e33",
	"cursor":      "from third parties: a copy of cursor.com/docs/agent/hooks, skillsaw docs/rules/cursor-hooks-valid.md; that matcher is a regular expression of JavaScript is unverified",
	"windsurf":    "docs.windsurf.com/windsurf/cascade/hooks.md, in excerpts",
	"cline":       "github cline/cline at 08a0ae50, sdk/packages/core/src/hooks/hook-file-hooks.ts; directories from third parties",
	"goose":       "github block/goose, documentation/docs/guides/context-engineering/hooks.md at 0825b570",
	"kiro":        "kiro.dev/docs/cli/v3/hooks, in excerpts; ~/.kiro/hooks from third parties; the names of triggers but PreToolUse unverified",
	"amp":         "from third parties: developersdigest.tech/reference/amp (files), hex.pm amp_sdk 0.7.0 guides/permissions.md (rules)",
	"opencode":    "the directory plugins from memory of opencode.ai/docs/plugins",
	"grok":        "docs.x.ai/build/features/hooks.md, in excerpts; skillsaw docs/rules/grok-hooks-valid.md",
	"qwen":        "npm @qwen-code/qwen-code 0.24.4, docs/features/hooks.md and docs/configuration/settings.md",
	"kimi":        "npm @moonshot-ai/kimi-code 2.1.0, dist/main.mjs (HookDefSchema)",
	"droid":       "docs.factory.ai/reference/hooks-reference and enterprise/hierarchical-settings-and-org-control.md, in excerpts",
}
