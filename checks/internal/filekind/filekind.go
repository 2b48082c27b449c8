// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package filekind tells the kind of a file by its path alone: a file with secrets, or one from which something
// starts later. Paths have slashes, or backslashes as on Windows; capitals do not matter.
package filekind

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// The kinds, as policies name them.
const (
	SecretKind  = "secret"
	StartupKind = "startup"
)

// Kinds are all kinds.
var Kinds = []string{SecretKind, StartupKind}

// Fault says of a path that it leads to a file of a kind.
func Fault(kind string) string {
	if kind == SecretKind {
		return "must not name a file that holds secrets or accounts"
	}
	return "must not name a file from which a shell, git, an agent or the system starts programs later"
}

// Is reports whether a path leads to a file of a kind. An unknown kind has none.
func Is(kind, path string) bool {
	switch kind {
	case SecretKind:
		return Secret(path)
	case StartupKind:
		return Startup(path)
	}
	return false
}

// Secret reports whether a word, or the path in it, names a file that holds secrets or accounts. A word with
// blanks is a text, such as a message.
func Secret(word string) bool {
	if strings.IndexByte(word, '/') < 0 && strings.IndexByte(word, '\\') < 0 && !strings.HasPrefix(word, "id_") && strings.IndexByte(word, '.') < 0 {
		return false
	}
	if strings.ContainsAny(word, " \t\n") {
		return false
	}
	lower := strings.ToLower(Clean(word))
	return hinted(lower) && secrets.MatchString(lower) && !published.MatchString(lower) && !templates.MatchString(lower)
}

// Startup reports whether a word names a file from which a shell, git, an agent or the system starts programs later.
func Startup(word string) bool {
	if !strings.HasPrefix(word, ".") && !strings.ContainsAny(word, `/\`) && !strings.HasPrefix(word, "toolvet") {
		return false
	}
	lower := strings.ToLower(Clean(word))
	return startups.MatchString(lower) || agents.MatchString(lower)
}

// HoldsStartup reports whether a directory has such files in it, by its own name: who replaces .git replaces its hooks.
func HoldsStartup(dir string) bool {
	dir = strings.TrimSuffix(Clean(dir), "/")
	return slices.ContainsFunc([]string{"/config", "/hooks/x", "/settings.json", "/tasks.json", "/x"}, func(file string) bool { return Startup(dir + file) })
}

// Hints reports whether a text may name a file that holds secrets. It costs less than to look for it.
func Hints(text string) bool { return hinted(strings.ToLower(text)) }

// Clean resolves dots and doubled slashes of the path that a word ends in.
func Clean(word string) string {
	if i := strings.IndexByte(word, '/'); i >= 0 && (strings.Contains(word, "/.") || strings.Contains(word[i:], "//")) {
		return word[:i] + path.Clean(word[i:])
	}
	return word
}

func hinted(lower string) bool {
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(lower, hint) })
}

// hints stand in every word that the expression secrets matches.
var hints = strings.Fields(`.env gh/hosts credentials etc proc mem ssh id_ netrc pgpass cnf npmrc pypirc git-cred htpass vault auth.json oauth_creds keyrings password-store keychains github-copilot _history .aws .gnupg .kube .azure .docker gcloud secrets serviceaccount win boot.ini ntds`)

var secrets = lazyregexp.New(`(^|[/=:@,~\\])(` + strings.Join([]string{
	`/?etc/(passwd|shadow|gshadow|sudoers|master\.passwd|security/opasswd|krb5\.keytab|ssh/ssh_host_[^/]*_key)-?$`,
	`/?etc/sudoers\.d/`,
	`/?proc/([^/]+/){1,3}(environ|mem|maps|fd/|root/|cwd/|cmdline$)`, `/?dev/k?mem$`,
	`\.ssh([/\\][^/\\]*)*$`, `id_(rsa|dsa|ecdsa|ed25519)(_sk)?$`,
	`\.(netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|htpasswd|vault-token)$`, `\.\w+_history$`,
	`\.(aws|gnupg|kube|azure|docker)/(credentials|config|config\.json|private-keys[^/]*|accesstokens\.json|msal_token_cache\.json|secring\.gpg)`,
	`\.config/(gcloud|github-copilot)/`, `\.config/gh/hosts\.ya?ml$`, `\.(claude/\.credentials|codex/auth|gemini/oauth_creds)\.json$`, `\.local/share/keyrings(/|$)`, `\.password-store(/|$)`, `library/keychains(/|$)`, `\.cargo/credentials(\.toml)?$`, `\.gem/credentials$`, `\.terraform\.d/credentials[^/]*$`,
	`\.env(\.[\w-]+)*$`, `run/secrets/`, `kubernetes\.io/serviceaccount`,
	`windows\\(win\.ini|system32\\(config|drivers\\etc)(\\|$)|repair\\)`, `winnt\\(win\.ini|repair\\)`, `boot\.ini$`, `ntds\.dit$`,
}, "|") + `)`)

// published are the files beside keys without secrets, and templates show the names of an .env file without the values.
var (
	published = lazyregexp.New(`[/\\](known_hosts(\.old)?|[\w.-]+\.pub)$`)
	templates = lazyregexp.New(`\.env(\.[\w-]+)*\.(example|sample|template|dist|defaults?|schema|test|ci)$`)
)

var startups = lazyregexp.New(`(^|[/\\])(\.(bash_?rc|bash_(profile|login|logout|aliases)|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|logout|xinitrc|xprofile|xsessionrc|vimrc|inputrc|gitconfig|envrc|pythonrc(\.py)?|pam_environment)$` +
	`|\.config/(autostart|systemd|fish|git)/|\.git/(hooks/|config$)|\.local/bin/|\.husky/|\.ssh(/?$|/(config|rc|environment|authorized_keys2?)$)|library/launch(agents|daemons)/|start menu[/\\]programs[/\\]startup|var/spool/cron|etc/(cron|profile|bash|zsh|init|systemd|rc|environment|ld\.so))`)

// agents are files by which hosts of agents start hooks and servers or allow calls, those of CI, and toolvet's own.
var agents = lazyregexp.New(`(^|[/\\])(\.(claude|codex|cursor|gemini|agents|qwen|kimi(-code)?|grok|kiro|factory|windsurf|codeium|copilot|amp|opencode|cline)[/\\](.*[/\\])?(settings[^/\\]*\.json|(hooks|mcp|mcp_config|permissions|sandbox|config|cli-config|auth)\.(json|toml|yaml)|hooks([/\\]|$)|plugins?[/\\])` +
	`|\.claude(\.json)?$|\.vscode[/\\](tasks|settings|launch|mcp)\.json$|\.cargo[/\\]config(\.toml)?$|\.devcontainer[/\\]|\.(moat|openmoat|hol-guard|pipelock|cupcake)([/\\]|$)|\.clinerules[/\\]hooks|\.mcp\.json$|\.github[/\\](workflows|hooks)[/\\]|\.gitlab-ci\.yml$|toolvet[\w.-]*\.(ya?ml|lock)$|\.config[/\\](toolvet|opencode|amp)[/\\])`)
