// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"runtime"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/policy"
)

// The presets of hosts of coding agents differ from those of servers: their tools run any command and write any file, which
// is what they are for, and a person is there to ask.
//
// Standard refuses what no task needs: secrets, downloads that run at once, changes of the system. It asks about what some tasks need, and
// an injected instruction needs as well: to write outside the project, to rewrite history, to talk to hosts that nobody lists, to
// change what starts later. Strict asks about all that is not known to be harmless, about every place outside the project, and before it fetches from
// any host but those that packages and source code come from.

// ask demands what a person can consent to.
func ask(rule *check.Demand, options any) policy.Demand {
	return policy.Demand{Kind: rule, Options: options, Severity: check.Ask}
}

// AgentKinds returns the kinds of what a preset refuses the agents of a host, and of what it asks about; neither if there is no such preset.
func AgentKinds(name string, u policy.Unasked) (refuses, asks []string) {
	for _, set := range presets {
		if set.name != name {
			continue
		}
		o := set.agent.leaving(u).command()
		for _, kind := range consented {
			if !slices.Contains(o.Allow, kind) {
				asks = append(asks, kind)
			}
		}
		return refused, append(asks, o.Deny...)
	}
	return nil, nil
}

// An asker makes the demands that ask: on a command, on a path and on a URL.
type asker struct {
	command func() *command.Options
	reads   func() *path.Options
	url     func() *url.Options
	writes  []string // kinds of files whose change is asked about
	near    []string // hosts that may be reached after a secret
	leaves  []string // kinds that the policy lets pass unasked
	files   []string // files of secrets that it lets pass
}

// leaving returns the asker for a policy that lets more pass unasked. A session's memory comes after it: what follows a secret is asked about all the
// same.
func (a asker) leaving(u policy.Unasked) asker {
	line, address, hosts := a.command, a.url, patternsOf(u.Hosts)
	a.leaves, a.files = u.Kinds, u.Files
	a.writes = slices.DeleteFunc(slices.Clone(a.writes), func(kind string) bool { return slices.Contains(u.Kinds, kind) })
	a.command = func() *command.Options {
		o := line()
		o.Allow, o.Hosts = append(o.Allow, u.Kinds...), append(slices.Clip(o.Hosts), u.Hosts...)
		o.Allow = append(o.Allow, prefixed("wipe ", u.Commands)...)
		return o
	}
	a.url = func() *url.Options {
		o := address()
		o.Hosts = append(slices.Clip(o.Hosts), hosts...)
		return o
	}
	return a
}

// after returns the asker for a session with a memory. After a secret, it asks about everything that leaves this machine, also for a listed
// host, which may be a relay. After the words of a stranger, it asks about each change of a file that steers agents and builds.
func (a asker) after(m policy.Memory) asker {
	if m == (policy.Memory{}) {
		return a
	}
	line, address := a.command, a.url
	const reaching = "network"
	if m.Secret {
		a.leaves = slices.DeleteFunc(slices.Clone(a.leaves), func(kind string) bool { return kind == reaching })
	}
	a.command = func() *command.Options {
		o := line()
		if m.Secret {
			o.Deny, o.Hosts = append(o.Deny, "sending"), a.near
			o.Allow = slices.DeleteFunc(o.Allow, func(kind string) bool { return kind == reaching })
		}
		if m.Foreign {
			o.Deny = append(o.Deny, "steering")
		}
		return o
	}
	if m.Secret {
		a.url = func() *url.Options {
			o := address()
			o.Hosts = patternsOf(a.near)
			return o
		}
	}
	if m.Foreign {
		a.writes = append(slices.Clip(a.writes), "steering")
	}
	return a
}

// thisMachine are the names of the machine itself.
var thisMachine = strings.Fields("localhost 127.0.0.1 ::1")

var (
	agentAsks = asker{
		command: func() *command.Options {
			return &command.Options{Allow: slices.Concat(shellSyntax, quiet, refused), Hosts: knownHosts(), Inside: true, Exists: new(false)}
		},
		reads:  func() *path.Options { return nil },
		url:    func() *url.Options { return listedURL(knownPatterns()) },
		writes: []string{"startup"},
		near:   thisMachine,
	}
	agentStrictly = asker{
		command: func() *command.Options {
			return &command.Options{Programs: harmless(), Allow: slices.Concat(shellSyntax, strings.Fields("shell starter project"), refused), Deny: strings.Fields("steering roaming deleting doubtful"), Hosts: sources(), Inside: true, Exists: new(false)}
		},
		reads:  func() *path.Options { return new(path.Options) },
		url:    func() *url.Options { return listedURL(patternsOf(sources())) },
		writes: []string{"startup", "steering"},
		near:   []string{"none.invalid"}, // a server of this machine may pass on what it is told
	}
)

// refused is what a person is not asked about, because both presets refuse it.
var refused = strings.Fields("secret piped system")

// quiet is what ordinary work does. The commands within are judged all the same.
var quiet = strings.Fields("shell sum edit starter project temporary")

// shellSyntax is what a shell does every day.
var shellSyntax = strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound")

// consented is all that a person may consent to: everything but refused.
var consented = append(policy.Consentable(), strings.Fields("shell sum edit starter temporary")...)

// agentDemands are the demands on a guess; a server's own demands hold where a host has nothing of its own to ask.
func agentDemands(a asker) func(*subject, infer.Guess) []policy.Demand {
	return func(t *subject, g infer.Guess) []policy.Demand {
		switch g.Kind {
		case infer.Command:
			never, asks := &command.Options{Allow: slices.Concat(shellSyntax, consented, prefixed("secret ", a.files)), Inside: true, Exists: new(false)}, a.command()
			if strings.Contains(strings.ToLower(t.Name), "powershell") {
				never.Shell, asks.Shell = "powershell", "powershell"
			}
			return []policy.Demand{demand(command.Demand, never), ask(command.Demand, asks)}
		case infer.Path:
			list := []policy.Demand{demand(path.Demand, a.noSecret())}
			if looksOnly(t.Name) {
				if !slices.Contains(a.leaves, "credential") {
					list = append(list, ask(path.Demand, &path.Options{Within: anywhere, Not: []string{"key"}}))
				}
				if o := a.reads(); o != nil {
					list = append(list, ask(path.Demand, o))
				}
				return list
			}
			if !slices.Contains(a.leaves, "outside") {
				list = append(list, ask(path.Demand, new(path.Options)))
			}
			return append(list, ask(path.Demand, &path.Options{Within: anywhere, Not: a.writes}))
		case infer.URL:
			list := []policy.Demand{demand(url.Demand, lenientURL(t.Tool))}
			if !slices.Contains(a.leaves, "network") {
				list = append(list, ask(url.Demand, a.url()))
			}
			return list
		}
		list := standardDemands(t, g)
		if g.Kind == infer.Glob {
			list = append(list, demand(path.Demand, a.noSecret()))
		}
		return list
	}
}

// noSecret demands that a path leads to no file of secrets but those that the policy lets pass.
func (a asker) noSecret() *path.Options {
	return &path.Options{Within: anywhere, Not: []string{"secret"}, Allow: prefixed("secret ", a.files)}
}

// prefixed puts a kind before what of it the check command lets pass.
func prefixed(kind string, list []string) (out []string) {
	for _, one := range list {
		out = append(out, kind+one)
	}
	return out
}

// agentLooks is demanded of arguments that nothing is known of.
func agentLooks() []policy.Demand {
	list := looks()
	list[0].Options = &path.Options{Within: anywhere, Not: []string{"secret"}}
	return list
}

// anywhere holds every absolute path.
var anywhere = func() []string {
	if runtime.GOOS != "windows" {
		return []string{"/"}
	}
	var drives []string
	for c := 'A'; c <= 'Z'; c++ {
		drives = append(drives, string(c)+`:\`)
	}
	return drives
}()

// looksOnly reports whether a tool of a host only looks at the files that it is given, going by its name.
func looksOnly(tool string) bool {
	w := words(tool)
	return overlaps(w, "read", "view", "grep", "glob", "list", "ls", "find", "search", "tree", "zoom", "codebase", "webfetch", "fetch") &&
		!overlaps(w, strings.Fields("write create edit replace insert delete remove move rename patch apply update save")...)
}

func listedURL(hosts []url.Pattern) *url.Options {
	return &url.Options{Guess: true, Schemes: fetched, Userinfo: true, Loopback: "allow", SingleLabel: "allow", Hosts: hosts}
}

var knownPatterns = lazy.Value(func() []url.Pattern { return patternsOf(knownHosts()) })

func patternsOf(hosts []string) []url.Pattern {
	list := make([]url.Pattern, 0, len(hosts))
	for _, h := range hosts {
		if p, err := url.ParsePattern(h); err == nil { // the list is our own, and a test reads it
			list = append(list, p)
		}
	}
	return list
}

// knownHosts serve source code and documentation, and this machine itself. An agent that is made to read from another
// host can carry something there, in the URL.
var knownHosts = lazy.Value(func() []string {
	return append(sources(), strings.Fields(`localhost 127.0.0.1 ::1 example.com
	*.github.io sourceware.org savannah.gnu.org git.kernel.org
	stackoverflow.com *.stackexchange.com superuser.com serverfault.com *.wikipedia.org developer.mozilla.org web.dev caniuse.com *.w3.org whatwg.org *.whatwg.org
	*.ietf.org rfc-editor.org *.rfc-editor.org *.python.org *.readthedocs.io docs.rs *.rust-lang.org go.dev *.go.dev golang.org nodejs.org *.nodejs.org deno.com docs.deno.com bun.sh
	typescriptlang.org *.typescriptlang.org react.dev nextjs.org vuejs.org *.vuejs.org svelte.dev angular.dev vite.dev vitejs.dev vitest.dev jestjs.io playwright.dev tailwindcss.com eslint.org prettier.io
	*.djangoproject.com flask.palletsprojects.com fastapi.tiangolo.com docs.pytest.org rubyonrails.org *.rubyonrails.org *.ruby-lang.org *.php.net laravel.com *.spring.io *.apache.org *.gradle.org *.oracle.com kotlinlang.org *.scala-lang.org *.haskell.org elixir-lang.org hexdocs.pm
	learn.microsoft.com docs.microsoft.com developer.apple.com developer.android.com docs.aws.amazon.com cloud.google.com kubernetes.io docs.docker.com *.hashicorp.com
	postgresql.org *.postgresql.org dev.mysql.com mariadb.com sqlite.org *.sqlite.org redis.io *.mongodb.com *.gnu.org *.kernel.org *.debian.org *.ubuntu.com *.archlinux.org
	modelcontextprotocol.io *.modelcontextprotocol.io docs.claude.com code.claude.com docs.anthropic.com platform.openai.com ai.google.dev cmake.org *.cmake.org git-scm.com`)...)
})

// sources are the hosts of source code, and of the packages that builds fetch anyway.
func sources() []string {
	return strings.Fields("github.com *.github.com *.githubusercontent.com gitlab.com codeberg.org bitbucket.org *.npmjs.org *.npmjs.com pypi.org files.pythonhosted.org crates.io *.crates.io pkg.go.dev rubygems.org")
}

// harmless are commands for looking around, and for building and testing the project. Strict does not ask about them. An entry holds with
// any words behind it; the check looks at those.
var harmless = lazy.Value(func() []string {
	return lines(`
	ls|ll|dir|pwd|cd|pushd|popd|echo|printf|cat|head|tail|less|more|bat|nl|wc|sort|uniq|cut|tr|paste|join|comm|column|fold|fmt|rev|tac|seq|expr|test|[|true|false|:|sleep|date|cal|basename|dirname|realpath|readlink|stat|file|du|df|tree|find|fd|locate
	grep|egrep|fgrep|rg|ag|ack|awk|sed|diff|cmp|colordiff|jq|yq|xq|gron|xmllint|hexdump|xxd|od|strings|md5sum|sha1sum|sha256sum|sha512sum|cksum|which|type|whereis|whatis|man|tldr|apropos|help|uname|hostname|whoami|id|groups|uptime|free|nproc|lscpu|arch|ps|pgrep|time|tee|mkdir|touch|cp|mv|rm|export|local|read|return|exit|unset|shift|let|declare|wait|timeout
	git status|git log|git diff|git show|git branch|git tag|git remote|git blame|git grep|git ls-files|git ls-tree|git rev-parse|git rev-list|git describe|git shortlog|git cat-file|git merge-base|git name-rev|git for-each-ref|git show-ref|git symbolic-ref|git count-objects|git fsck|git check-ignore|git check-attr|git diff-tree|git diff-index|git diff-files|git whatchanged|git range-diff|git cherry|git worktree list|git stash list|git stash show|git config --get|git config --list|git config -l|git version|git help|git var|git add|git commit|git switch|git restore --staged|git fetch|git pull|git checkout|git mv|git notes show|git bisect log
	go build|go test|go vet|go run|go fmt|go list|go doc|go version|go env|go mod graph|go mod why|go mod verify|go generate|go tool|gofmt|goimports|golangci-lint|staticcheck|govulncheck
	cargo build|cargo check|cargo test|cargo clippy|cargo fmt|cargo doc|cargo run|cargo tree|cargo metadata|cargo bench|cargo nextest|cargo version|cargo --version|rustc|rustfmt|rustup show
	npm test|npm t|npm run|npm ls|npm list|npm outdated|npm view|npm info|npm explain|npm why|npm audit|npm start|npm version|npm --version|pnpm test|pnpm typecheck|pnpm exec tsc|pnpm exec eslint|pnpm exec prettier|pnpm exec vitest|pnpm exec jest|pnpm run|pnpm ls|pnpm list|pnpm why|pnpm build|pnpm lint|pnpm outdated|yarn test|yarn run|yarn build|yarn lint|yarn list|yarn why|yarn info|bun test|bun run|tsc|eslint|prettier|jest|vitest|mocha|ava|tap|playwright test|biome|rollup|webpack|vite|esbuild|tsx|tsup|turbo run|nx run|nx test|nx build|lerna run
	python -m pytest|python -m unittest|python -m mypy|python -m json.tool|python --version|python3 -m pytest|python3 -m unittest|python3 -m mypy|python3 -m json.tool|python3 --version|pytest|mypy|pyright|ruff|black|isort|flake8|pylint|tox|nox|coverage|pip list|pip show|pip freeze|pip check|uv run|uv tree|uv pip list|poetry run|poetry show|poetry check|poetry build|pre-commit run
	make|gmake|cmake|ninja|ctest|meson|bazel build|bazel test|bazel query|gcc|g++|clang|clang++|cc|c++|ld|ar|nm|objdump|readelf|ldd|size|strip|javac|java|mvn test|mvn compile|mvn package|mvn verify|mvn clean|gradle build|gradle test|gradle check|./gradlew|./mvnw|dotnet build|dotnet test|dotnet run|dotnet format|swift build|swift test|xcodebuild|bundle exec|rake|rspec|rubocop|mix test|mix compile|mix format|phpunit|composer validate|composer show|zig build|zig test
	docker ps|docker images|docker logs|docker inspect|docker version|docker info|docker compose ps|docker compose logs|docker compose config|kubectl get|kubectl describe|kubectl logs|kubectl explain|kubectl version|kubectl api-resources|helm lint|helm template|helm list|terraform fmt|terraform validate|terraform plan|terraform show|terraform version|tofu plan|tofu validate
	gh pr view|gh pr list|gh pr status|gh pr diff|gh pr checks|gh issue view|gh issue list|gh repo view|gh run list|gh release list|gh release view|gh status|gh search|gh auth status
	shellcheck|shfmt|hadolint|yamllint|actionlint|markdownlint|vale|codespell|cloc|tokei|scc|hyperfine|clang-format|clang-tidy|cppcheck|protoc|buf lint|buf build|sqlfluff|toolvet check|toolvet policy|toolvet explain|toolvet version|toolvet tools|toolvet log|toolvet audit
`)
})

// lines splits a list at bars and line breaks.
func lines(text string) []string {
	var list []string
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '|' || r == '\n' }) {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}
