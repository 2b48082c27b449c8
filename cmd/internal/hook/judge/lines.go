// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/reach"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// The check command knows the programs that send, and the words that name a file. After a secret or the words of a stranger, a line is asked about for
// its looks as well. A quoted text may look the same: such sessions are few, and a question costs little.

// senders are commands that send something to an unnamed address. Each begins at the start of a command, behind variables and whatever
// starts it. There are services that send with any words and without any, builders that send by a word of theirs, scripts that send by their own name,
// and programs that ask something elsewhere for a name with a part that the line does not tell.
var senders = lazyregexp.New("(?m)(?:^|[;&|(`{!]|\\b(?:do|then|else|exec|time|nohup|command|sudo|env)\\s)\\s*(?:[A-Za-z_]\\w*=\\S*\\s+)*" +
	`(?:(?:npx|bunx|uvx|pnpx|pipx\s+run|(?:npm|pnpm|yarn|bun)\s+(?:dlx|exec|x)|(?:bundle|mise|direnv)\s+exec|(?:uv|poetry|pdm|hatch)\s+run)\s+(?:-\S+\s+)*)*(?:[^\s;&|]*/)?` +
	`(?:(?:vercel|now|netlify(?:-cli)?|wrangler|surge|firebase(?:-tools)?|fly(?:ctl)?|railway|serverless|sls|sst|cdk|eas(?:-cli)?|expo|fastlane|gh-pages|np|release-it|semantic-release|changeset|codecov|coveralls|sentry-cli|` +
	`localtunnel|lt|ngrok|cloudflared|tmate|upterm|bore|pagekite|pastebinit|gist|hf|huggingface-cli|kaggle|wandb|dvc|gdrive|dropbox|dbxcli|transfer|slackcat|matrix-commander|signal-cli|telegram-send|ntfy|apprise|jira|linear|cosign|ipfs|llm|aider|` +
	`s3cmd|b2|azcopy|s5cmd|ffsend|croc|wormhole|bzr|brz|fossil|fluxcd|flux|argocd|pulumi|twine|hub)(?:@\S+)?(?:\s|[;&|)]|$)` +
	`|(?:make|gmake|ninja|mvnw?|gradlew?|sbt|lein|dotnet|nuget|swift|cargo|npm|pnpm|yarn|bun|deno|just|task|rake|invoke|inv|fab|cap|nx|turbo|lerna|mix|rebar3|flutter|dart|stack|cabal|luarocks|conda|anaconda|kubectl|oc|helm|skaffold|ansible-playbook|vagrant|packer)\b[^;&|\n]*?\s(?:[\w@/]\S*[:_.-])?` +
	`(?:publish|deploy|release|upload|push|rollout|send)(?:[:_.-]\S*)?(?:\s|[;&|)]|$)` +
	`|(?:(?:ba|da|z)?sh|node|deno|bun|tsx|python[\d.]*|ruby|perl|php|source|\.)?\s*\S*(?:deploy|publish|release|upload|send)[\w-]*\.(?:sh|[cm]?[jt]s|py|rb|pl|php)\b` +
	"|(?:git\\b[^;&|\\n]*\\s(?:fetch|ls-remote|clone|pull|remote|submodule|archive)|(?:host|nslookup|dig|drill|ping6?|getent|resolvectl|whois|traceroute)|" +
	"(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|gem|go|composer|apt|apt-get|brew|docker|podman)\\b[^;&|\\n]*\\s(?:i|install|add|get|download|search|view|info|show|pull))\\s[^;&|\\n]*[$`]" +
	`|(?:lftp|t?ftp|telnet|sshfs|smbclient|kcat|kafkacat)\s|logger\s[^;&|\n]*-\w*n|(?:docker|podman|nerdctl|buildctl|buildah)\b[^;&|\n]*type=registry)`)

// neighbours are hosts of one name, as networks beside this machine have them, and those of databases.
var neighbours = lazyregexp.New(`\b(?:https?|wss?|ftp|postgres(?:ql)?|mysql|mariadb|redis|mongodb|amqp|nats)://(?:[^\s/@"']*@)?([\w-]+)(?:[:/?"'\s]|$)|\b(?:psql|pg_\w+|mysql\w*|mariadb\S*|redis-cli|mongo\w*|clickhouse-client|cqlsh|mosquitto_pub|nats)\b[^;&|\n]*\s(?:-h|--host)[ =]?([^\s;&|]+)`)

// Fetches of modules ask their own hosts for them, unless these are public ones.
var (
	fetches     = lazyregexp.New(`\bgo\s+(?:get|list|install|run|mod\s+download)\s[^;&|\n]*`)
	modules     = lazyregexp.New(`\s((?:[\w-]+\.)+[a-z]{2,})/`)
	moduleHosts = "github.com gitlab.com bitbucket.org golang.org google.golang.org cloud.google.com gopkg.in go.uber.org go.opentelemetry.io k8s.io sigs.k8s.io honnef.co"
)

// spreaders are commands that write unnamed files: an archive's, a patch's, a template's or a list's, and whole directories into the top of the work.
var spreaders = lazyregexp.New("(?m)(?:^|[;&|(`{!]|\\b(?:do|then|else|exec|time|nohup|command|sudo|env)\\s)\\s*(?:[A-Za-z_]\\w*=\\S*\\s+)*" +
	`(?:(?:npx|bunx|uvx|pnpx|pipx\s+run|(?:npm|pnpm|yarn|bun)\s+(?:dlx|exec|x))\s+(?:-\S+\s+)*)*(?:[^\s;&|]*/)?` +
	`(?:(?:bsd|g)?tar\s+(?:[^;&|\n]*\s)?(?:-?[A-Za-z]*x[A-Za-z]*|--extract|--get)(?:\s|[;&|)]|$)|unzip\s+(?:-[a-km-oqsuw-yA-Y]+\s+)*[^-\s]|7z[az]?r?\s+[xe]\s|unar\s|cpio\s[^;&|\n]*(?:-[a-z]*i|--extract)|patch(?:\s|[;&|)]|$)|git\s+(?:-\S+\s+(?:\S+\s+)?)*(?:apply|am)\s|` +
	`(?:degit|tiged|giget|cookiecutter|copier|cruft)\s|wget\s[^;&|\n]*(?:-i|--input-file|-r|--recursive|-m|--mirror)\b|xargs\s[^;&|\n]*\b(?:cp|mv|curl|wget|tee)\b` +
	`|(?:cp|mv|rsync|install|ln)\s[^;&|\n]*(?:/\.?|\*\S*|\})["']?\s+["']?(?:\.{1,2}|\./|"?\$PWD"?|\$\{PWD\})/?["']?\s*(?:$|[;&|)\n]))|>\s*[^\s;&|<>"'()]*[*?]`)

// elsewhere are the words of such commands that leave the work alone.
var elsewhere = lazyregexp.New(`\s(?:-C\s*|-d\s*|-o\s*|--directory[= ]|--exdir[= ])["']?(?:/tmp/|/var/tmp/|\$\{?TMP|\$\{?RUNNER_TEMP|\$\(mktemp)|\s(?:--dry-run|--check|--stat|--numstat|--summary|--version|--help)\b`)

// lineIn returns the line of a command among the arguments of a host's own tool.
func lineIn(e hook.Event) string {
	var given map[string]any
	_ = json.Unmarshal(e.Input, &given)
	return lineOf(given)
}

// sends reports whether a line looks like one that sends something to an address that it does not name, or hands one on another machine to a program.
func sends(line string) bool {
	return senders.MatchString(line) || slices.ContainsFunc(neighbours.FindAllStringSubmatch(line, -1), func(m []string) bool {
		return elsewhereHost(m[1] + m[2])
	}) || slices.ContainsFunc(fetches.FindAllString(line, -1), func(fetch string) bool {
		return slices.ContainsFunc(modules.FindAllStringSubmatch(fetch, -1), func(m []string) bool { return !slices.Contains(strings.Fields(moduleHosts), m[1]) })
	}) || strings.Contains(line, "://") && slices.ContainsFunc(reach.Hosts(line), elsewhereHost)
}

// elsewhereHost reports whether a host is another machine.
func elsewhereHost(host string) bool {
	host = strings.Trim(host, `"'[]`)
	return host != "" && !slices.Contains([]string{"localhost", "127.0.0.1", "::1", "0.0.0.0"}, host) && !strings.HasPrefix(host, "/")
}

// spreads reports whether a line looks like one that writes unnamed files.
func spreads(line string) bool { return spreaders.MatchString(line) && !elsewhere.MatchString(line) }
