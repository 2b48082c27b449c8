// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package filekind

import (
	"slices"
	"strings"
	"testing"
)

// TestKindsOfPrograms holds the kinds of files of programs, hosts of agents and CI systems, and of files that only look alike.
func TestKindsOfPrograms(t *testing.T) {
	t.Parallel()
	for kind, list := range map[string]string{
		SecretKind: `~/.cline/secrets.json ~/.copilot/config.json ~/.cursor/auth.json ~/.factory/auth.json ~/.kimi/credentials/x.json ~/.local/share/opencode/auth.json ~/.qwen/oauth_creds.json ~/.config/goose/secrets.yaml
			~/.argocd/config /home/u/.config/containers/auth.json ~/.config/stripe/config.toml ~/.sentryclirc ~/.jfrog/jfrog-cli.conf.v5 ~/.zhistory ~/.local/share/fish/fish_history ~/.local/share/atuin/history.db
			~/.mozilla/firefox/x/logins.json ~/.config/Code/User/globalStorage/state.vscdb C:\Users\u\AppData\Roaming\Microsoft\Windows\PowerShell\PSReadLine\ConsoleHost_history.txt .Xauthority
			~\.aws\credentials .kube\config C:\Users\u\.docker\config.json ~\.config\gh\hosts.yml C:\Windows\win.ini ~/Library/Messages/chat.db /Users/u/Library/Mail x=~/Library/Messages ~/.mozilla/firefox ~/.thunderbird/x.default/ImapMail/a/INBOX /var/mail/u /home/u/Maildir/cur/1
			~/.config/google-chrome/Default/Cookies C:\Users\u\AppData\Local\Microsoft\Edge\x profile/key4.db ~/.config/Slack/Cookies ~/.local/share/evolution/mail/x .var/app/com.google.Chrome/config/google-chrome/Default/History`,
		StartupKind: `.circleci/config.yml .gitea/workflows/x.yml appveyor.yml .appveyor.yml .cirrus.yml .tekton/x.yaml wercker.yml .gitlab/ci/test.yml .claude/commands/x.md .claude/skills/x/SKILL.md .gemini/extensions/x/gemini-extension.json
			.kiro/agents/x.json .opencode/agent/x.md .config/goose/config.yaml .copilot/mcp-config.json .git/info/attributes ~/.tmux.conf ~/.config/nvim/init.lua ~/.emacs.d/init.el .psqlrc .idea/runConfigurations/x.xml mise.local.toml .mise/config.toml
			.git .git/commondir .git/config.worktree .git/modules/a/b/config .git/modules/s/hooks/x .git/worktrees/w/config.worktree .git/rebase-merge/git-rebase-todo .git\hooks\pre-commit .hg/hgrc .bashrc x\.profile
			.aider.conf.yml ~/.continue/config.yaml .continue/mcpServers/x.yaml .roo/mcp.json .roo/commands/x.md .kilocode/mcp.json .kilo/kilo.jsonc .trae/mcp.json .augment/settings.local.json .augment/commands/x.md .junie/mcp/mcp.json crush.json .crush.json
			.openhands/setup.sh .openhands/hooks.json ~/.aws/amazonq/mcp.json .amazonq/cli-agents/x.json .cursor/environment.json .cursor/agents/x.md .agents/skills/x/SKILL.md .codex/rules/default.rules x.code-workspace .devcontainer.json .gitpod.yml`,
		KeyKind: `server.key x/key.pem certs/private.pem keystore.jks cert.p12 AuthKey_X.p8 .dev.vars config/secrets.yml serviceAccountKey.json terraform.tfvars prod.auto.tfvars terraform.tfstate .vault_pass config/master.key local.settings.json
			appsettings.Production.json .envrc ~/.claude.json x.ppk`,
		SteeringKind: `.cursor/rules/x.mdc conftest.py .github/copilot-instructions.md .clinerules/x.md .kiro/steering/x.md vite.config.ts build.gradle.kts pyproject.toml requirements-dev.txt compose.prod.yaml x.mk CMakeLists.txt
			.cursorrules .roomodes .roo/rules-code/x.md .trae/rules/project_rules.md .kilocode/rules/x.md .augment-guidelines .augment/rules/x.md .openhands/microagents/repo.md .github\copilot-instructions.md`,
		"": `src/key.ts cert.pem tsconfig.json .key secrets.md src/secrets.ts terraform.tf variables.tfvars.md appsettings.json .envrc.example jfrog.md docs/argocd/config.md .claude/notes.md .github/dependabot.yml .gitattributes .gitmodules
			src/tmux.conf.md public.key.pub id_rsa.pub ~/.config/stripe/readme.md run/x.go harness/x.yaml
			.gitignore .git/HEAD .git/index .git/rebase-merge/msgnum .git/objects/info/alternates org.mozilla.Thunderbird src/x.thunderbird/y src/windows/repair/x.go library/messages/x.py src/library/mail/x.rb docs/slack/cookies.md aider.md .aiderignore crushed.json continue/config.yaml commands/x.md
			skills/x.ts trae/rules/x.md src/mail/x.go x.workspace docs/aws/credentials.md hooks/useX.ts .continue/x.log`,
	} {
		for file := range strings.FieldsSeq(list) {
			var got []string
			for _, k := range Kinds {
				if Is(k, file) {
					got = append(got, k)
				}
			}
			if kind == "" && got != nil || kind != "" && !slices.Contains(got, kind) {
				t.Errorf("%s is %q, want %q", file, got, kind)
			}
		}
	}
	for _, file := range accounts {
		if !Hints("cat ~/" + file + "x") {
			t.Errorf("no hint at %s", file)
		}
	}
}
