// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package filekind tells the kind of a file by its path alone: a file with secrets, or one from which something
// starts later. Paths have slashes, or backslashes as on Windows; capitals do not matter.
package filekind

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// The kinds, as policies name them.
const (
	SecretKind  = "secret"
	StartupKind = "startup"
	KeyKind     = "key"
	// SteeringKind is of files with orders for agents and builds. Work changes them every day, so no preset asks about them by itself.
	SteeringKind = "steering"
)

// Kinds are all kinds.
var Kinds = []string{SecretKind, StartupKind, KeyKind, SteeringKind}

// Fault says of a path that it leads to a file of a kind.
func Fault(kind string) string {
	switch kind {
	case SecretKind:
		return "must not name a file that holds secrets or accounts"
	case KeyKind:
		return "must not name a file that, going by its name, holds a private key or accounts"
	case SteeringKind:
		return "must not name " + Steers
	}
	return "must not name a file from which a shell, git, an agent or the system starts programs later"
}

// Is reports whether a path leads to a file of a kind. An unknown kind has none.
func Is(kind, path string) bool {
	switch kind {
	case SecretKind:
		return Secret(Named(path))
	case StartupKind:
		return Startup(path) || strings.HasSuffix(slashed(path), "/.git") || path == ".git" // a file there leads git to any configuration
	case KeyKind:
		return Key(path)
	case SteeringKind:
		return Steering(path)
	}
	return false
}

// Secret reports whether a word, or the path in it, names a file that holds secrets or accounts. A word with
// blanks is a text, such as a message, unless it begins as a path does.
func Secret(word string) bool {
	if strings.IndexByte(word, '/') < 0 && strings.IndexByte(word, '\\') < 0 && !strings.HasPrefix(word, "id_") && strings.IndexByte(word, '.') < 0 {
		return false
	}
	lower := slashed(word)
	if strings.ContainsAny(word, "\t\n") {
		return false
	}
	if private.MatchString(lower) {
		return true
	}
	if strings.Contains(word, " ") && !begun.MatchString(word) {
		return false
	}
	if account(lower) {
		return true
	}
	return hinted(lower) && (secrets.MatchString(lower) || windows.MatchString(strings.ToLower(word))) && !published.MatchString(lower) && !templates.MatchString(lower)
}

// begun is a word that begins as a path does, whatever blanks are in it.
var begun = lazyregexp.New(`^(~?/|\.\.?/|[a-zA-Z]:[/\\])`)

// Named spells the name of a file so that blanks in it make it no text. A home directory in its middle does.
func Named(name string) string {
	if strings.Contains(name, " ") && !begun.MatchString(name) && !strings.Contains(name, " ~/") {
		return "./" + name
	}
	return name
}

// slashed returns a word in lower case, with slashes alone.
func slashed(word string) string {
	return strings.ToLower(Clean(strings.ReplaceAll(word, `\`, "/")))
}

// Startup reports whether a word names a file from which a shell, git, an agent or the system starts programs later.
func Startup(word string) bool {
	// Most words of a line are plain, and need no copy in lower case. One with a letter outside ASCII may have a name in it all the same.
	begins := func(name string) bool { return len(word) >= len(name) && strings.EqualFold(word[:len(name)], name) }
	foreign := strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf })
	if !foreign && !strings.HasPrefix(word, ".") && !strings.ContainsAny(word, `/\`) && !strings.HasSuffix(word, "-workspace") && !slices.ContainsFunc(plainStartups, begins) {
		return false
	}
	return startups.MatchString(strings.ToLower(Clean(word))) || agents.MatchString(slashed(word))
}

// Steers is the text for a file of SteeringKind.
const Steers = "a file that tells agents, builds or tests what to do"

// Steering reports whether a word names a file with orders for agents, builds or tests.
func Steering(word string) bool {
	return steers.MatchString(slashed(word))
}

// HoldsStartup reports whether a directory has such files in it, by its own name: who replaces .git replaces its hooks.
func HoldsStartup(dir string) bool {
	dir = strings.TrimSuffix(Clean(dir), "/")
	return slices.ContainsFunc([]string{"/config", "/hooks/x", "/settings.json", "/tasks.json", "/x"}, func(file string) bool { return Startup(dir + file) })
}

// Hints reports whether a text may name a file that holds secrets. It costs less than to look for it.
func Hints(text string) bool {
	lower := strings.ToLower(strings.ReplaceAll(text, `\`, "/"))
	return hinted(lower) || slices.ContainsFunc(accounts, func(name string) bool { return strings.Contains(lower, name) })
}

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
var hints = strings.Fields(`.env gh/hosts credentials etc proc mem ssh id_ netrc pgpass cnf npmrc pypirc git-cred htpass vault auth.json oauth_creds keyrings password-store keychains github-copilot _history .aws .gnupg .kube .azure .docker gcloud secrets serviceaccount win boot.ini ntds .config/ s3cfg boto mylogin databricks linode lesshst viminfo .m2/ .purple .nuget .gradle/ composer .fly .wrangler .netlify .oci .snowflake .dbt/ vercel opencode fish_hist .pulumi .age/ huggingface kaggle .openai .qwen bitcoin electrum ethereum thunderbird .mozilla google-chrome chromium appdata library/ key4.db cookies.sqlite maildir /mail/ evolution telegramd`)

var secrets = lazyregexp.New(`(^|[/=:@,~])(` + strings.Join([]string{
	`/?etc/(passwd|shadow|wireguard(/[^/]+)?|gshadow|sudoers|master\.passwd|security/opasswd|krb5\.keytab|ssh/ssh_host_[^/]*_key)-?$`,
	`/?etc/sudoers\.d/`,
	`/?proc/([^/]+/){1,3}(environ|mem|maps|fd/|root/|cwd/|cmdline$)`, `/?dev/k?mem$`,
	`\.ssh([/\\][^/\\]*)*$`, `id_(rsa|dsa|ecdsa|ed25519)(_sk)?$`,
	`\.(netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|htpasswd|vault-token)$`, `\.\w+_history$`,
	`\.(aws|gnupg|kube|azure|docker)/(credentials|config|config\.json|private-keys[^/]*|accesstokens\.json|msal_token_cache\.json|secring\.gpg)`,
	`\.config/(gcloud|github-copilot)/`, `\.config/gh/hosts\.ya?ml$`, `\.(claude/\.credentials|codex/auth|gemini/oauth_creds)\.json$`, `\.local/share/keyrings(/|$)`, `\.password-store(/|$)`, `library/keychains(/|$)`, `\.cargo/credentials(\.toml)?$`, `\.gem/credentials$`, `\.terraform\.d/credentials[^/]*$`,
	`\.config/(op|rclone|hub|glab-cli|fly|doctl|netlify|composer|linode-cli|hcloud|solana|signal|sops/age|\.?wrangler)/[^/]*(/[^/]*)?\.?(conf|config|ya?ml|json|toml|txt|cli\.toml|id\.json|hub|linode-cli)$`, `\.config/(op/config|hub|linode-cli)$`, `\.config/goose/secrets\.yaml$`,
	`\.(s3cfg|boto|mylogin\.cnf|databrickscfg|linode-cli|lesshst|viminfo)$`, `\.(m2/settings|purple/accounts|nuget/nuget/nuget)\.(xml|config)$`, `\.gradle/gradle\.properties$`, `\.composer/auth\.json$`, `\.(fly|wrangler|netlify|oci|snowflake|dbt)/(config|config\.(ya?ml|json|toml)|config/default\.toml|profiles\.yml|oci_api_key\.pem)$`,
	`\.local/share/(com\.vercel\.cli|opencode)/auth\.json$`, `fish/fish_history$`, `\.pulumi/credentials\.json$`, `\.age/key\.txt$`, `(\.huggingface|\.cache/huggingface)/token$`, `\.kaggle/kaggle\.json$`, `\.openai/auth\.json$`, `\.qwen/oauth_creds\.json$`, `\.(bitcoin|electrum|ethereum|thunderbird)/.*(wallet|keystore|logins\.json|key4\.db)`,
	`/?etc/ssl/private/`, `/?etc/kubernetes/admin\.conf$`,
	`\.env(\.[\w-]+)*$`, `run/secrets/`, `kubernetes\.io/serviceaccount`,
	`boot\.ini$`, `ntds\.dit$`,
}, "|") + `)`)

// windows are such files of that system, as it writes them.
var windows = lazyregexp.New(`(^|[/=:@,~\\])(windows\\(win\.ini|system32\\(config|drivers\\etc)(\\|$)|repair\\)|winnt\\(win\.ini|repair\\))`)

// private are the mails, messages and contacts of the user, and the profiles of browsers, with passwords and cookies. Their names have blanks.
var private = lazyregexp.New(`^([^\s"'|;&]*[/=:@,])?(\.(mozilla/firefox|thunderbird|icedove)|(\.config|\.var/app/[^/]+/config|appdata/(local|roaming))/(google(-chrome|/chrome)[^/]*|chromium|bravesoftware|microsoft[-/]edge[^/]*|vivaldi|opera[^/]*|mozilla/firefox|thunderbird)|library/application support/(google/chrome|firefox|bravesoftware|microsoft edge|arc|addressbook|callhistorydb|mobilesync|com\.apple\.tcc)|(~|/users/[^/]+)/library/(messages|mail|safari|cookies|calendars|group containers/group\.com\.apple\.notes|containers/com\.apple\.(mail|safari|notes|mobilesms))|(~|/home/[^/]+|/root)/maildir|\.local/share/(evolution|telegramdesktop|geary|kmail2|local-mail)|\.config/(slack|discord|element|signal))(/[^"'|;&]*)?$|(^|[=:@,])/var/(spool/)?mail/[^/]+$|/login data$|(^|[/=:@,])(key4\.db|cookies\.sqlite)$`)

// published are the files beside keys without secrets, and templates show the names of an .env file without the values.
var (
	published = lazyregexp.New(`/(known_hosts(\.old)?|[\w.-]+\.pub)$`)
	templates = lazyregexp.New(`\.env(\.[\w-]+)*\.(example|sample|template|dist|defaults?|schema|test|ci)$`)
)

var startups = lazyregexp.New(`(^|[/\\])(\.(bash_?rc|bash_(profile|login|logout|aliases)|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|logout|xinitrc|xprofile|xsessionrc|vimrc|inputrc|gdbinit|lldbinit|exrc|gitconfig|envrc|pythonrc(\.py)?|pam_environment)$` +
	`|\.(rprofile|pryrc|irbrc|ghci|psqlrc|sqliterc|screenrc|tmux\.conf|emacs|curlrc|wgetrc)$|\.emacs\.d/|\.config/(autostart|systemd|fish|git|direnv|mise|nvim|tmux)/|\.hgrc$|\.dir-locals(-2)?\.el$|\.nvim(rc|\.lua)$|\.local/bin/|\.husky/|\.ssh(/?$|/(config|rc|environment|authorized_keys2?)$)|library/launch(agents|daemons)/|start menu[/\\]programs[/\\]startup|var/spool/cron|etc/(cron|profile|bash|zsh|init|systemd|rc|environment|ld\.so))`)

var steers = lazyregexp.New(`(^|/)((agents?|agents\.override|claude|claude\.local|gemini|qwen|warp|crush|copilot-instructions|conventions|skill)\.md$|\.rules$|\.junie/|\.(amazonq|augment|claude|trae|kilo(code)?|aiassistant)/(rules|guidelines\.md$)|\.windsurf/workflows|\.github/agents/|(turbo|nx|deno)\.jsonc?$|\.pnpmfile\.cjs$|\.eslintrc(\.json)?$|babel\.config\.json$|flake\.nix$|tiltfile$|sconstruct$|\.bazelrc$|\.(cursorrules|windsurfrules|clinerules|goosehints|roorules[\w-]*|roomodes|kilocodemodes|augment-guidelines)$|\.openhands/microagents/` +
	`|\.(cursor|windsurf|clinerules|continue|roo|kiro)/(rules[\w-]*|steering)/|\.clinerules/|\.github/(instructions|prompts|chatmodes)/` +
	`|package\.json$|(gnu)?makefile(\.am|\.in)?$|[^/]+\.mk$|\.?justfile$|taskfile\.ya?ml$|rakefile$|gulpfile\.[cm]?[jt]s$|gruntfile\.[cm]?js$|[^/]+\.config\.[cm]?[jt]s$|\.(eslintrc|prettierrc|babelrc|mocharc)\.[cm]?js$` +
	`|cmakelists\.txt$|meson\.build$|configure(\.ac)?$|build\.(rs|zig|sbt|xml)$|cargo\.toml$|(build|settings)\.gradle(\.kts)?$|gradlew(\.bat)?$|gradle-wrapper\.properties$|pom\.xml$|mvnw(\.cmd)?$|[^/]+\.(csproj|fsproj|vbproj|props|targets|gemspec|podspec)$|gemfile$|podfile$|composer\.json$|mix\.exs$|package\.swift$` +
	`|pyproject\.toml$|setup\.(py|cfg)$|conftest\.py$|(tox|pytest)\.ini$|noxfile\.py$|sitecustomize\.py$|requirements[^/]*\.txt$|pipfile$|(docker|container)file([.-][^/]+)?$|[^/]+\.dockerfile$|(docker-)?compose(\.[\w-]+)?\.ya?ml$|(build|workspace|module)\.bazel$)`)

// plainStartups are the beginnings of names of such files that begin with no dot.
var plainStartups = strings.Fields("appveyor wercker codefresh screwdriver toolvet jenkinsfile azure-pipelines bitbucket-pipelines cloudbuild buildspec lefthook opencode bunfig mise crush kilo")

// agents are files by which hosts of agents start hooks and servers or allow calls, those of git, those of CI, and toolvet's own.
var agents = lazyregexp.New(`(^|/)(\.(claude|codex|cursor|gemini|agents|qwen|kimi(-code)?|grok|kiro|factory|windsurf|codeium|copilot|amp|opencode|cline|continue|roo|kilo(code)?|trae|augment|junie|openhands|crush|amazonq|aws/amazonq|iflow|qoder|codebuddy)/((.*/)?(settings[^/]*\.json|(hooks|mcp|mcp_config|permissions|sandbox|config|cli-config|auth|environment|kilo)\.(jsonc?|toml|ya?ml|ts)|hooks(/|$)|plugins?/)|(commands?|agents?|cli-agents|skills?|prompts|droids|extensions|output-styles|tools?|mcpservers)/|[^/]+\.sh$)` +
	`|\.git/((modules|worktrees)/([^/]+/)+)?(hooks/|info/|config(\.worktree)?$|commondir$|gitdir$|rebase-merge/git-rebase-todo)|\.hg/hgrc$|\.claude(\.json)?$|\.codex/rules/|\.aider\.(conf\.ya?ml|model\.settings\.yml)$|\.?crush\.jsonc?$|kilo\.jsonc?$|[^/]*\.code-workspace$|\.gitpod\.ya?ml$|\.idx/dev\.nix$|\.pi/(.*/)?extensions/|\.openclaw/openclaw\.json$|\.copilot/mcp-config\.json$|\.(vscode|theia)/(tasks|settings|launch|mcp)\.json$|\.cargo/config(\.toml)?$|\.devcontainer(/|\.json$)|\.(moat|openmoat|hol-guard|pipelock|cupcake)(/|$)|\.clinerules/hooks|\.mcp\.json$|\.(gitea|forgejo)/workflows/|\.(semaphore|tekton|harness|run)/|\.idea/(workspace\.xml$|runconfigurations/)|\.?(appveyor|cirrus)\.ya?ml$|(wercker|codefresh|screwdriver)\.ya?ml$|\.gitlab/ci/|\.github/(workflows|hooks|actions)/|\.gitlab-ci\.yml$|\.(circleci|buildkite|woodpecker|teamcity|githooks)/|jenkinsfile$|(azure|bitbucket)-pipelines\.ya?ml$|\.(travis|drone|woodpecker|pre-commit-config)\.ya?ml$|(cloudbuild|buildspec)\.ya?ml$|\.?lefthook(-local)?\.ya?ml$|\.zed/(tasks|settings)\.json$|opencode\.jsonc?$|\.yarnrc(\.yml)?$|bunfig\.toml$|\.?mise(\.local)?\.toml$|\.mise/config\.toml$|toolvet[\w.-]*\.(ya?ml|lock)$|\.config/(toolvet|opencode|amp|goose|crush|kilo)/)`)
