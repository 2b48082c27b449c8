// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"mvdan.cc/sh/v3/syntax"
)

// A reader finds shell lines in files of one kind.
type reader struct {
	reads func(path string) bool
	lines func(text []byte) []string
	each  bool // each file is a unit, and not the repository
}

// readers are the sources of lines, by the kind in -want.
var readers = map[string]reader{
	"tldr":    {reads: matches(`^pages/(common|linux)/(` + developers + `)\.md$`), lines: tldr, each: true},
	"npm":     {reads: matches(`(^|/)package\.json$`), lines: npm},
	"make":    {reads: matches(`(^|/)(GNUm|M|m)akefile$`), lines: recipes},
	"ci":      {reads: matches(`^\.github/workflows/[^/]+\.ya?ml$`), lines: workflow},
	"readme":  {reads: matches(`(?i)(^|/)(README|CONTRIBUTING|HACKING|DEVELOPMENT|BUILDING|INSTALL|TESTING|AGENTS|CLAUDE)[^/]*\.md$`), lines: blocks},
	"just":    {reads: matches(`(?i)(^|/)\.?justfile$|\.just$`), lines: justRecipes},
	"docs":    {reads: matches(`(?i)(^|/)(docs?|documentation|guides?|book|content|website)/.*\.mdx?$`), lines: blocks},
	"pages":   {reads: others(matches(`^pages/(common|linux|osx)/.*\.md$`), matches(`^pages/(common|linux)/(`+developers+`)\.md$`)), lines: tldr, each: true},
	"safe":    {reads: matches(`^commands/.*\.toml$|^src/handlers/.*\.rs$`), lines: examples, each: true},
	"corpus":  {reads: matches(`^commands/pages/.*\.jsonl$`), lines: rows, each: true},
	"commits": {reads: matches(`^commands/commits/.*\.jsonl$`), lines: rows, each: true},
	"agents":  {reads: matches(`(?i)(specstory/history|claude-prompts|transcript|agent-output|conversation).*\.(md|jsonl|json|txt)$`), lines: calls},
}

// developers are the pages of tldr about what a developer, and so an agent, uses.
const developers = `git.*|gh|gh-.*|glab.*|docker.*|podman.*|kubectl.*|helm.*|kind|minikube.*|npm.*|pnpm.*|yarn.*|bun.*|deno.*|node|npx|nvm|corepack|` +
	`cargo.*|rust.*|go|go-.*|gofmt|golangci-lint|goimports|python.*|pip.*|uv.*|poetry.*|ruff.*|black|isort|flake8|pylint|mypy|pyright|pytest|tox|coverage|` +
	`make|cmake|ctest|ninja|meson|autoconf|gcc|g\+\+|clang.*|ld|nm|objdump|readelf|strip|gdb|lldb|valgrind|strace|ltrace|perf.*|rg|grep|egrep|sed|awk|gawk|jq|yq|fd|find|` +
	`xargs|parallel|sort|uniq|cut|tr|head|tail|wc|cat|bat|less|diff|colordiff|delta|patch|tar|zip|unzip|gzip|gunzip|zcat|xz|zstd|curl|http|xh|ls|eza|tree|cp|mv|rm|mkdir|touch|ln|` +
	`stat|file|du|df|date|seq|printf|echo|test|tee|time|timeout|watch|ps|lsof|ss|terraform.*|tofu.*|mvn|gradle.*|java|javac|jar|jshell|kotlin.*|scala.*|sbt|dotnet.*|php.*|composer|phpunit|` +
	`ruby|gem|bundle|bundler|rake|rails.*|rspec|rubocop|mix.*|elixir|iex|rebar3|stack|cabal|ghc.*|opam|dune|zig|nim.*|lua.*|perl|swift|flutter.*|dart.*|eslint|prettier|tsc|tsx|ts-node|` +
	`jest|vitest|mocha|webpack|vite|rollup|esbuild|parcel|sqlite3|psql|pg_.*|mysql|redis-cli|mongosh|hexdump|xxd|od|base64|sha.*sum|md5sum|column|nl|paste|join|comm|split|rev|tac|` +
	`fold|fmt|shuf|cksum|basename|dirname|realpath|readlink|mktemp|hyperfine|tokei|cloc|scc|shellcheck|shfmt|hadolint|just|task|act|pre-commit|semgrep|trivy|ctags|doxygen|pandoc|mkdocs|` +
	`sphinx.*|jekyll|hugo.*|dot|protoc|buf|protolint|ansible.*|tmux|screen|ffmpeg|magick|cwebp|identify|ab|wrk|k6|hey|locust|nc|dig|host|ping`

// skipped are places whose files are fixtures or others' code.
var skipped = regexp.MustCompile(`(^|/)(node_modules|vendor|third_party|fixtures?|testdata|__fixtures__)/`)

// harmful are lines that no reader has to look at: they ask for a password, publish, force, install for all, handle secrets, or
// make sense only in a service that builds.
var harmful = regexp.MustCompile(`(?i)\bsudo\b|\bdoas\b|\bsecrets\.|(TOKEN|SECRET|PASSWORD|API_KEY|PRIVATE_KEY)\b|\b(npm|pnpm|yarn|cargo|poetry|gem|uv|twine|vsce)( run)? (publish|push|upload)\b|` +
	`push.* (--force|-f|--force-with-lease|--delete|--mirror)\b|reset --hard|(apt|apt-get|dnf|yum|apk|pacman|brew|choco|winget|snap|port) (update|upgrade|install|add|-S)|` +
	`install (-g|--global)|(-g|--global) install|\| *(ba|z|da)?sh\b|\.ssh/|\.aws/|\.env\b|/etc/|\$\{?(GITHUB|RUNNER|CI)_|/usr/local`)

// operates are lines that run a machine, a cluster or a service for others, and not the work at hand: they set up a firewall, delete, deploy, or give a
// container the machine.
var operates = regexp.MustCompile(`(?i)\b(iptables|ip6tables|nft|sysctl|mkfs\S*|useradd|adduser|usermod|setenforce|launchctl|crontab|chkconfig|update-rc\.d)\b|\bsystemctl (--\S+ )*(enable|disable|start|stop|restart|set|mask|reenable)|` +
	`\b(kubectl|helm|oc|docker|podman|vagrant|aws|az|gcloud|doctl|eksctl)\b.* (delete\S*|uninstall|drain|prune|destroy)\b|\b(destroy|terminate)\b|\b(firebase|wrangler|vercel|netlify|fly|flyctl|heroku|serverless|sls)\b.* deploy|--privileged|docker\.sock|\bngrok\b|` +
	`\b(pre-commit|lefthook|husky|git lfs) install\b|^husky$`)

func matches(pattern string) func(string) bool {
	re := regexp.MustCompile(pattern)
	return func(p string) bool { return re.MatchString(p) && !skipped.MatchString(p) }
}

// others matches what the one matches, and not the other.
func others(all, not func(string) bool) func(string) bool {
	return func(p string) bool { return all(p) && !not(p) }
}

func kinds() []string { return slices.Sorted(maps.Keys(readers)) }

var (
	option  = regexp.MustCompile(`\{\{\[[^]|]*\|([^]]*)\]\}\}`) // both forms of an option: the long one
	holder  = regexp.MustCompile(`\{\{(.*?)\}\}`)
	several = regexp.MustCompile(`^([^ ]+)( .*)? \.\.\.$`) // path/to/file1 path/to/file2 ...
)

// tldr returns the commands of a page, with its examples of values in their places.
func tldr(text []byte) (out []string) {
	for l := range strings.Lines(string(text)) {
		l = strings.TrimSpace(l)
		if len(l) < 3 || l[0] != '`' || l[len(l)-1] != '`' {
			continue
		}
		l = option.ReplaceAllString(l[1:len(l)-1], "$1")
		out = append(out, holder.ReplaceAllStringFunc(l, func(s string) string {
			s = several.ReplaceAllString(s[2:len(s)-2], "$1")
			first, _, _ := strings.Cut(s, "|") // choices
			return first
		}))
	}
	return out
}

// npm returns the scripts of a package.
func npm(text []byte) (out []string) {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(text, &manifest) != nil {
		return nil // a template
	}
	for _, name := range slices.Sorted(maps.Keys(manifest.Scripts)) {
		out = append(out, manifest.Scripts[name])
	}
	return out
}

var (
	assigned = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*[:?]?=[ \t]*(.*)$`)
	plain    = regexp.MustCompile(`^(echo|printf) [^|>&;$]*$|^(else|endif|ifn?eq|ifn?def)\b|^\S+ *[:?+]?=`) // says something only, or is of make
	remark   = regexp.MustCompile(`(^|\s)#.*$`)
	variable = regexp.MustCompile(`\$[({]([A-Za-z0-9_.-]+)[)}]|\$([@<^*?])`)
)

// recipes returns the recipes of a Makefile as the shell reads them. A recipe with a variable that the file does not tell is left out.
func recipes(text []byte) (out []string) {
	values := map[string]string{"MAKE": "make", "CURDIR": ".", "PWD": ".", "RM": "rm -f", "CC": "cc", "@": "target", "<": "source.c", "^": "source.c", "*": "target", "?": "source.c"}
	joined := strings.ReplaceAll(string(text), "\\\n", "\x00")
	for l := range strings.Lines(joined) {
		if m := assigned.FindStringSubmatch(strings.TrimSpace(l)); m != nil && l[0] != '\t' {
			if _, ok := values[m[1]]; !ok {
				values[m[1]] = strings.TrimSpace(remark.ReplaceAllString(strings.ReplaceAll(m[2], "\x00", " "), ""))
			}
		}
	}
	for l := range strings.Lines(joined) {
		if l[0] != '\t' {
			continue
		}
		l = strings.TrimLeft(strings.TrimSpace(l), "@-+ ")
		known := true
		for range 4 { // a value may name another
			l = strings.ReplaceAll(l, "$$", "\x01")
			l = variable.ReplaceAllStringFunc(l, func(s string) string {
				v, ok := values[strings.Trim(s, "$(){}")]
				known = known && ok
				return v
			})
		}
		l = strings.TrimLeft(l, "@-+ ")
		if known && !strings.Contains(l, "$") && !plain.MatchString(l) {
			out = append(out, strings.ReplaceAll(strings.ReplaceAll(l, "\x00", "\\\n"), "\x01", "$"))
		}
	}
	return out
}

var (
	justVariable = regexp.MustCompile(`\{\{\s*([\w-]+)\s*\}\}`)
	justAssigned = regexp.MustCompile(`^(?:export\s+)?([\w-]+)\s*:=\s*["']([^"'{}]*)["']\s*$`)
)

// justRecipes returns the lines of the recipes of a justfile. One with a variable that the file does not tell is left out, and so is a recipe for another
// interpreter.
func justRecipes(text []byte) (out []string) {
	values := map[string]string{}
	joined := strings.ReplaceAll(string(text), "\\\n", "\x00")
	for l := range strings.Lines(joined) {
		if m := justAssigned.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			values[m[1]] = m[2]
		}
	}
	foreign := false
	for l := range strings.Lines(joined) {
		if l[0] != ' ' && l[0] != '\t' {
			foreign = false
			continue
		}
		l = strings.TrimLeft(strings.TrimSpace(l), "@-")
		if foreign = foreign || strings.HasPrefix(l, "#!"); foreign || l == "" || plain.MatchString(l) {
			continue
		}
		l = justVariable.ReplaceAllStringFunc(l, func(s string) string {
			v, ok := values[strings.Trim(s, "{} ")]
			if !ok {
				return s // which fits refuses
			}
			return v
		})
		out = append(out, strings.ReplaceAll(l, "\x00", "\\\n"))
	}
	return out
}

// rows returns the commands of rows of the command corpus, of which each source is a file. An array of words becomes a line with quotes.
func rows(text []byte) (out []string) {
	for l := range bytes.Lines(text) {
		var row struct{ Input json.RawMessage }
		var line string
		var list []string
		switch {
		case json.Unmarshal(l, &row) != nil:
		case json.Unmarshal(row.Input, &line) == nil:
			out = append(out, line)
		case json.Unmarshal(row.Input, &list) == nil:
			for i, w := range list {
				if list[i], _ = syntax.Quote(w, syntax.LangBash); list[i] == "" { // no shell can hold it
					list = nil
					break
				}
			}
			out = append(out, strings.Join(list, " "))
		}
	}
	return out
}

var expression = regexp.MustCompile(`\$\{\{\s*(?:[a-z]+\.)*([A-Za-z0-9_-]+)\s*\}\}`)

// workflow returns what the steps of a workflow run. A script of several lines is one line for a shell, as an agent would give it.
func workflow(text []byte) (out []string) {
	var w struct {
		Jobs map[string]struct {
			Steps []struct{ Run, Shell string } `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if yaml.Unmarshal(text, &w) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		for _, s := range w.Jobs[name].Steps {
			run := expression.ReplaceAllString(s.Run, "$1")
			if run = strings.TrimSpace(run); run != "" && (s.Shell == "" || s.Shell == "bash" || s.Shell == "sh") && !strings.Contains(run, "${{") {
				out = append(out, run)
			}
		}
	}
	return out
}

// commanding is a line that begins as a command does, and not as a value, a table or a sentence.
var commanding = regexp.MustCompile(`^(\./|~/)?[a-z][a-z0-9_./+-]* [^ =]|^(ls|make|npm|yarn|pnpm|go|cargo|mix|rake|just|task) *$|^[A-Z_]+=\S* [a-z./]`)

// blocks returns the commands of the shell blocks of a document.
func blocks(text []byte) (out []string) {
	inside, prompts := false, bytes.Contains(text, []byte("\n$ ")) // behind a prompt stand commands, elsewhere what they print
	joined := strings.ReplaceAll(string(text), "\\\n", "\x00")
	for l := range strings.Lines(joined) {
		l = strings.TrimSpace(l)
		if fence, ok := strings.CutPrefix(l, "```"); ok {
			inside = !inside && slices.Contains([]string{"sh", "bash", "shell", "console", "zsh"}, path.Base(strings.ToLower(fence)))
			continue
		}
		typed := strings.HasPrefix(l, "$ ") || !prompts && commanding.MatchString(l)
		if inside && typed && !strings.ContainsAny(l, "<>…") { // no "<name>" to fill in
			out = append(out, strings.ReplaceAll(strings.TrimPrefix(l, "$ "), "\x00", "\\\n"))
		}
	}
	return out
}

var (
	safeList = regexp.MustCompile(`(?s)examples_safe\s*=\s*\[(.*?)\n?\]\s*\n`)
	safeTest = regexp.MustCompile(`(?s)safe! \{(.*?)\n\s*\}`)
	quoted   = regexp.MustCompile(`"(?:\\.|[^"\\])*"|'[^']*'`)
	tested   = regexp.MustCompile(`(?m)^\s+\w+: ("(?:\\.|[^"\\])*"),?$`)
)

// examples returns the commands that a table or a test of safe-chains says to be read-only.
func examples(text []byte) (out []string) {
	add := func(s string) {
		if s[0] == '\'' {
			out = append(out, s[1:len(s)-1])
		} else if l, err := strconv.Unquote(s); err == nil {
			out = append(out, l)
		}
	}
	for _, m := range safeList.FindAllSubmatch(text, -1) {
		for _, s := range quoted.FindAllString(string(m[1]), -1) {
			add(s)
		}
	}
	for _, m := range safeTest.FindAllSubmatch(text, -1) {
		for _, s := range tested.FindAllStringSubmatch(string(m[1]), -1) {
			add(s[1])
		}
	}
	return out
}

var (
	command = regexp.MustCompile(`"command":\s*("(?:\\.|[^"\\])*")`)
	shell   = regexp.MustCompile(`(?s)<tool-use data-tool-type="shell".*?</tool-use>`)
	ticked  = regexp.MustCompile("(?m)^`([^`]+)`$")
	fenced  = regexp.MustCompile("(?s)```bash\n(.*?)\n```")
	wrapped = regexp.MustCompile(`(?s)^/bin/\w+ -lc '([^']*)'$`)
	told    = regexp.MustCompile("Project Path\\*\\*: `([^`]+)`")
	within  = regexp.MustCompile(`/(?:Users|home)/[^/\s"']+/(?:[^/\s"';&|)]+/)*`)
)

// calls returns the shell calls in the record of an agent's session: JSON with a member command, or the Markdown of SpecStory.
func calls(text []byte) (out []string) {
	for _, m := range command.FindAllSubmatch(text, -1) {
		var l string
		if json.Unmarshal(m[1], &l) == nil {
			out = append(out, l)
		}
	}
	for _, block := range shell.FindAllString(string(text), -1) {
		if m := fenced.FindStringSubmatch(block); m != nil {
			out = append(out, m[1])
		} else if m := ticked.FindStringSubmatch(block); m != nil {
			out = append(out, m[1])
		}
	}
	root := sessionRoot(out)
	if m := told.FindSubmatch(text); m != nil {
		root = string(m[1])
	}
	for i, l := range out {
		if m := wrapped.FindStringSubmatch(l); m != nil {
			l = m[1]
		}
		if root != "" {
			l = strings.ReplaceAll(strings.ReplaceAll(l, root+"/", "./"), root, ".")
		}
		out[i] = l
	}
	return out
}

// sessionRoot is the directory that a session worked in: the longest start that at least half of its absolute paths share, so that they are read as paths
// of the project, which they were.
func sessionRoot(lines []string) string {
	counts := map[string]int{}
	all := 0
	for _, l := range lines {
		for _, p := range within.FindAllString(l, -1) {
			all++
			for p = path.Clean(p); strings.Count(p, "/") > 2; p = path.Dir(p) {
				counts[p]++
			}
		}
	}
	best := ""
	for _, p := range slices.Sorted(maps.Keys(counts)) {
		if counts[p]*2 >= all && len(p) > len(best) {
			best = p
		}
	}
	return best
}
