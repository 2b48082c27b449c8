// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package filekind

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// accounts are the files in a home in which programs keep tokens, cookies or histories. One that ends in a slash is a whole directory.
var accounts = strings.Fields(`
	.cline/secrets.json .cline/data/secrets.json .codex/.credentials.json .config/amp/secrets.json .local/share/amp/secrets.json .copilot/config.json .cursor/auth.json .config/cursor/auth.json
	.factory/auth.json .factory/auth.encrypted .gemini/mcp-oauth-tokens.json .grok/auth.json .grok/user-settings.json .kimi/credentials/ .kimi/credentials.json .kimi-code/credentials/
	.local/share/opencode/mcp-auth.json .openclaw/credentials/ .pi/agent/auth.json .codeium/config.json .config/anthropic/credentials.json user/globalstorage/state.vscdb
	.argocd/config .config/argocd/config .circleci/cli.yml .config/bitwarden/data.json .config/configstore/firebase-tools.json .config/containers/auth.json .config/helm/registry/config.json
	.config/ngrok/ngrok.yml .ngrok2/ngrok.yml .config/pypoetry/auth.toml .config/stripe/config.toml .expo/state.json .jfrog/ .minikube/ca.key .minikube/profiles/ .sentryclirc .terraformrc .travis/config.yml .wakatime.cfg
	.fetchmailrc .mbsyncrc .msmtprc .smbcredentials .xauthority .iceauthority cookies.binarycookies
	.zhistory psreadline/consolehost_history.txt .local/share/atuin/history.db .local/share/atuin/key`)

// account reports whether a path in lower case, with slashes, is one of accounts.
func account(lower string) bool {
	return slices.ContainsFunc(accounts, func(name string) bool {
		if strings.HasSuffix(name, "/") {
			return strings.HasPrefix(lower, name) || strings.Contains(lower, "/"+name)
		}
		rest, ok := strings.CutSuffix(lower, name)
		return ok && (rest == "" || rest[len(rest)-1] == '/')
	})
}

// Key reports whether a word names a file of a project or a home that, going by its name, holds a private key, accounts or a state with passwords. Projects
// have such files for tests, so a person may consent.
func Key(word string) bool {
	lower := slashed(word)
	return strings.IndexByte(lower, '.') >= 0 && keys.MatchString(lower) && !templates.MatchString(lower)
}

var keys = lazyregexp.New(`(^|/)(([\w.-]*[\w-])?\.(p12|pfx|p8|jks|keystore|kdbx?|ppk|tfstate(\.backup)?)|[\w-][\w.-]*\.key|([\w.-]*[-_.])?(priv(ate)?)?[-_]?key\.pem|private[\w-]*\.pem|([\w.-]*[-_.])?(server|client|keypair)\.pem|\.claude\.json|\.dev\.vars|\.vault_pass(word)?|(secrets|credentials)\.(ya?ml|json|toml)|client_secret[\w.-]*\.json|wp-config\.php|service[-_]?account([-_]?key)?\.json|[\w-]*firebase-adminsdk[\w-]*\.json|(terraform|[\w.-]+\.auto)\.tfvars|local\.settings\.json|appsettings\.production\.json|\.envrc(\.(local|private|secret))?)$`)
