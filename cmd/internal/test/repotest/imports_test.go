// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"slices"
	"strings"
	"testing"
)

// sdks are libraries that know the transports and revisions of MCP.
var sdks = []string{
	"github.com/modelcontextprotocol/go-sdk/...",
	"github.com/mark3labs/mcp-go/...",
	"github.com/metoro-io/mcp-golang/...",
}

// A packagesRule forbids imports of packages, direct or through others.
type packagesRule struct {
	packages []string
	except   string // one of them
	never    []string
	but      string // a package that they may import all the same
	why      string
}

// missing reports a rule for a package that does not exist any more.
func missing(t *testing.T, g graph, pattern, why string) {
	t.Helper()
	if len(g.matching(pattern)) == 0 {
		t.Errorf("the package %q of a rule does not exist any more: correct the rule (%s)", pattern, why)
	}
}

var packagesRules = []packagesRule{
	{
		packages: []string{".", "call", "check/...", "checks/...", "internal/infer", "internal/policy", "internal/preset", "schema", "internal/protocol", "internal/validate", "internal/wire/strictjson", "internal/machine/process", "internal/wire/sse", "internal/auth"},
		never:    sdks,
		why:      "a new revision of MCP may touch mcpgate, the proxies, upstream and gateway alone",
	},
	{
		packages: []string{"internal/proxy/relay", "internal/proxy/stdio", "internal/proxy/httpdoor", "upstream"},
		never:    append([]string{"mcpgate"}, sdks...),
		why:      "the data path forwards bytes; an SDK's client and server lose digits, unknown fields and order",
	},
	{
		packages: []string{"schema", "internal/wire/strictjson", "internal/machine/process", "internal/wire/sse", "internal/machine/filestate"},
		never:    []string{".", "call", "check/...", "checks/...", "internal/policy", "internal/protocol", "upstream", "mcpgate", "internal/proxy/...", "internal/validate", "internal/infer", "internal/pin", "internal/logname", "cmd/..."},
		but:      "internal/wire/strictjson",
		why:      "they are the ground: they can be understood, tested and replaced without knowing toolvet",
	},
	{
		packages: []string{"cmd/internal/hook"},
		never:    []string{".", "call", "check/...", "checks/...", "schema", "internal/policy", "internal/infer", "upstream"},
		why:      "a host's format is read and written without knowing who judges; a change of a format changes one file",
	},
	{
		packages: []string{"check", "internal/policy"},
		never:    []string{"checks/...", "."},
		why:      "a driver is given its checks as a slice; nothing below the Gate knows which there are",
	},
	{
		packages: []string{"checks/..."},
		except:   "checks/suite",
		never:    []string{".", "internal/policy", "checks/suite", "check/checktest", "internal/protocol"},
		why:      "a check does not know who runs it, nor which others there are",
	},
	{
		packages: []string{"."},
		never:    []string{"internal/protocol", "internal/proxy/stdio", "upstream", "mcpgate", "cmd/internal/cli"},
		why:      "every door asks the Gate; the Gate knows no door",
	},
	{
		packages: []string{"internal/wire/streamable", "internal/wire/mcpheader", "internal/wire/mcphttp", "internal/wire/httpguard"},
		never:    append([]string{".", "internal/policy", "internal/protocol", "internal/proxy/stdio", "upstream", "mcpgate", "cmd/internal/cli"}, sdks...),
		why:      "a transport moves messages; what they mean is judged elsewhere",
	},
	{
		packages: []string{"internal/machine/cgroup", "internal/machine/sandbox", "internal/machine/egress"},
		never:    append([]string{".", "call", "check/...", "internal/policy", "internal/protocol", "upstream", "internal/proxy/relay", "internal/rehearsal", "cmd/internal/cli"}, sdks...),
		why:      "the walls can be understood and tested without knowing what is behind them",
	},
	{
		packages: []string{"rehearse", "internal/rehearsal"},
		never:    append([]string{"internal/proxy/relay", "internal/proxy/stdio", "mcpgate", "cmd/internal/cli"}, sdks...),
		why:      "a rehearsal is a server and its calls; who asks for one is no matter",
	},
	{
		packages: []string{"internal/audit"},
		never:    []string{".", "call", "upstream", "internal/rehearsal", "internal/audit/probe", "internal/audit/source/...", "cmd/internal/cli", "internal/machine/sandbox"},
		why:      "the grade is a pure function of the findings, whoever brings the facts",
	},
	{
		packages: []string{"internal/audit/class", "internal/audit/classes/..."},
		never:    []string{".", "internal/audit", "internal/audit/probe", "internal/audit/source/...", "call", "internal/wire/...", "internal/machine/..."},
		why:      "a class says what is graded, and knows neither what finds it nor what becomes of it",
	},
	{
		packages: []string{"internal/audit/source/javascript/..."},
		never:    append([]string{".", "call", "internal/policy", "upstream", "internal/audit/probe", "internal/machine/process", "cmd/internal/cli"}, sdks...),
		why:      "code is read, never run",
	},
	{
		packages: []string{"internal/audit/probe"},
		never:    append([]string{"internal/proxy/relay", "internal/proxy/stdio", "mcpgate", "internal/rehearsal", "internal/audit/source/...", "cmd/internal/cli"}, sdks...),
		why:      "it tries a server, and knows neither its code nor what becomes of the facts",
	},
	{
		packages: []string{"internal/infer"},
		never:    []string{".", "checks/...", "internal/policy", "internal/preset", "internal/protocol"},
		why:      "a guess says what an argument is; what to demand of it is decided above",
	},
	{
		packages: []string{"internal/preset"},
		never:    []string{".", "checks/suite", "internal/protocol", "internal/proxy/stdio", "upstream", "mcpgate", "cmd/internal/cli"},
		why:      "a preset is a policy that needs no file: whoever makes a Gate joins them",
	},
	{
		packages: []string{"internal/protocol", "internal/validate"},
		never:    []string{"internal/proxy/stdio", "upstream", "mcpgate", "internal/machine/process", "cmd/internal/cli"},
		why:      "they put verdicts into words, for every door alike",
	},
	{
		packages: []string{"internal/proxy/relay"},
		never:    []string{"internal/proxy/stdio", "upstream", "internal/machine/process"},
		why:      "what becomes of a message is the same, whatever carries it",
	},
	{
		packages: []string{"gateway"},
		never:    []string{"internal/proxy/stdio", "internal/proxy/httpdoor", "internal/proxy/relay", "internal/auth"},
		why:      "a session is lines, and who its caller is, somebody else has found out",
	},
	{
		packages: []string{"internal/wire/splice"},
		never:    []string{".", "call", "check", "internal/policy", "internal/protocol"},
		why:      "it changes places in any JSON, and knows nothing of what it means",
	},
	{
		packages: []string{"internal/door"},
		never:    append([]string{"internal/record", "telemetry/...", "internal/door/...", "upstream", "gateway", "mcpgate", "schedule", "internal/machine/process", "cmd/internal/cli"}, sdks...),
		why:      "one place judges, records and answers; it knows neither what carries bytes nor who keeps records",
	},
	{
		packages: []string{"cmd/internal/backend"},
		never:    []string{"cmd/internal/daemon", "cmd/internal/cli", "cmd/internal/demo", "internal/audit/..."},
		why:      "it prepares what a policy describes; what runs on it is above",
	},
	{
		packages: []string{"cmd/internal/daemon"},
		never:    []string{"cmd/internal/cli", "cmd/internal/demo", "internal/audit/...", "github.com/spf13/cobra/..."},
		why:      "the daemon is given a configuration; flags, words and exit codes are the command's",
	},
	{
		packages: []string{"internal/proxy/relay", "internal/proxy/stdio", "internal/proxy/httpdoor", "upstream", "mcpgate", "internal/protocol", "internal/validate", "internal/door"},
		never:    []string{"cmd/internal/cli", "cmd/internal/demo", "check/checktest"},
		why:      "the command line wires the others, and nothing rests on fixtures",
	},
}

func TestImports(t *testing.T) {
	t.Parallel()
	g := importGraph(sources(t))
	for _, rule := range packagesRules {
		for _, pattern := range rule.packages {
			missing(t, g, pattern, rule.why)
			for _, pkg := range g.matching(pattern) {
				if pkg == rule.except {
					continue
				}
				for _, target := range rule.never {
					if chain := g.without(rule.but).chain(pkg, target); chain != nil {
						t.Errorf("%s: %s", strings.Join(chain, " imports "), rule.why)
					}
				}
			}
		}
	}
}

// A targetRule lists the only packages that may import something directly.
type targetRule struct {
	target string
	onlyBy []string
	why    string
}

var targetRules = []targetRule{
	{sdks[0], []string{"mcpgate", "policyfile", "cmd/internal/jobs/server", "cmd/internal/demo/...", "cmd/internal/hook/judge", "bench/...", "examples/...", "protocol/templates/..."}, "the official SDK changes with MCP; what depends on it stays in one package, fixtures apart"},
	{sdks[1], []string{"mcpgo/..."}, "one SDK is enough, and it is the official one; a module for servers on another one keeps it to itself"},
	{sdks[2], nil, "one SDK is enough, and it is the official one"},
	{"internal/jsonschema", []string{"schema"}, "package schema bounds what a hostile schema costs; past it nothing does"},
	{"github.com/dlclark/regexp2/...", []string{"schema"}, "package schema gives every pattern a time limit"},
	{"github.com/goccy/go-yaml/...", []string{"internal/policy", "internal/audit/api", "cmd/internal/gen/unseen", "cmd/internal/clientconfig", "cmd/internal/kit", "release", "bench/hook/lists"}, "packages policy, api and clientconfig refuse what the parser takes: anchors, deep nesting; the others read files of their own, or that a developer chose"},
	{"github.com/go-jose/go-jose/...", []string{"internal/auth"}, "one place says which tokens are good"},
	{"html/template", []string{"internal/rehearsal", "cmd/internal/jobs/web", "internal/audit/render"}, "what others say is written into pages where it is escaped, and in few places"},
	{"golang.org/x/oauth2/...", []string{"internal/auth"}, "one place holds toolvet's own tokens"},
	{"github.com/spf13/cobra/...", []string{"cmd/internal/cli"}, "the command line is a shell around the library"},
	{"cel.dev/...", []string{"internal/rule", "cmd/internal/kit"}, "CEL weighs 10 MB, and package rule bounds what an expression costs; package kit has expressions of its own only"},
	{"github.com/evanw/esbuild/...", []string{"internal/audit/source/javascript/internal/parse"}, "package parse bounds what a hostile text costs, and gives esbuild no files to read"},
	{"github.com/dop251/goja/...", []string{"internal/audit/source/javascript/internal/..."}, "its parser is of use, its interpreter never: nothing of what is audited is run"},
	{"github.com/gofrs/flock", []string{"internal/calllog", "cmd/internal/hook/judge", "cmd/internal/hook/install"}, "one writer a file is what the log, kept counts, the judge's socket and changes of configurations rest on; nothing else locks files"},
	{"github.com/redis/go-redis/...", []string{"driver/redis"}, "limits know a store; that it is Redis, one package knows"},
	{"github.com/jackc/pgx/...", []string{"driver/postgres", "cmd/internal/backend", "bench/schedule", "cmd/internal/gen/unseen"}, "a program hands over the databases that it wants; nobody else carries one"},
	{"github.com/go-sql-driver/...", []string{"driver/mysql", "cmd/internal/gen/unseen"}, "a program hands over the databases that it wants; nobody else carries one"},
	{"modernc.org/...", []string{"driver/sqlite", "bench/schedule"}, "a program hands over the databases that it wants; nobody else carries one"},
	{"driver/...", []string{"checks/sqlstate", "driver/postgres", "driver/mysql", "driver/sqlite", "driver/redis", "cmd/internal/backend", "policyfile"}, "a program hands over the databases that it wants; nobody else carries one"},
	{"github.com/prometheus/...", []string{"cmd/internal/otel", "cmd/internal/prometheus", "export/prometheus"}, "telemetry is an interface; what serves or sends it is linked by who asks for it"},
	{"go.opentelemetry.io/...", []string{"cmd/internal/otel", "cmd/internal/prometheus", "export/otel"}, "telemetry is an interface; what serves or sends it is linked by who asks for it"},
	{"github.com/pelletier/go-toml/...", []string{"cmd/internal/clientconfig", "cmd/internal/gen/patterns", "cmd/internal/hook/install"}, "only the rules and the settings of others are TOML"},
	{"cmd/internal/cli", []string{"cmd/command"}, "the command line is a shell around the library"},
	{"cmd/command", []string{"cmd/toolvet", "cmd/examples/owncheck"}, "it is for functions main: it ends the process"},
	{"checks/suite", []string{".", "policy", "policyfile", "cmd/internal/backend", "cmd/internal/gen/checkdocs", "upstream", "gateway"}, "who wants checks is given a slice; upstream falls back on those of the schema"},
	{"testing", []string{"check/checktest", "gatetest", "internal/audit/source/internal/sourcetest", "internal/test/corpora", "internal/packed/packedtest", "internal/test/need", "internal/test/npm", "internal/test/cprogram", "internal/test/race", "internal/test/redistest", "schedule/storetest"}, "package testing adds flags to the program that imports it"},
	{"os/exec", []string{"internal/machine/process", "internal/machine/sandbox", "internal/test/need", "internal/test/run", "internal/test/npm", "internal/test/cprogram", "internal/test/race", "internal/test/redistest", "bench/...", "cmd/internal/gen/...", "cmd/internal/hook/...", "release"}, "package process leaves no orphan; whoever else starts a program may"},
	{"unsafe", []string{"internal/machine/process", "internal/machine/process/microprogram", "internal/machine/sandbox"}, "toolvet reads what its enemies write"},
	{"C", nil, "toolvet cross-compiles without cgo"},
}

func TestImporters(t *testing.T) {
	t.Parallel()
	list := sources(t)
	g := importGraph(list)
	for _, rule := range targetRules {
		for _, s := range list {
			allowed := slices.ContainsFunc(rule.onlyBy, func(p string) bool { return match(p, s.dir()) })
			if s.test() || allowed || s.dir() == strings.TrimSuffix(rule.target, "/...") {
				continue
			}
			for _, name := range s.imports() {
				if match(rule.target, name) {
					t.Errorf("%s imports %s: only %v may: %s", s.name, name, rule.onlyBy, rule.why)
				}
			}
		}
		for _, pattern := range rule.onlyBy {
			missing(t, g, pattern, rule.why)
		}
	}
}

// exact lists all imports from the module that these packages may have, beside internal/lazy and internal/lazyregexp, which stand in for the standard library.
var exact = map[string]struct {
	may []string
	why string
}{
	"internal/wire/jsonrpc": {[]string{"internal/wire/strictjson"}, "messages are read before anything is known of calls"},
	"call":                  {[]string{"internal/wire/jsonrpc", "internal/wire/strictjson", "schema"}, "what is judged knows nothing of judging"},
	"internal/validate":     {[]string{".", "call", "check", "internal/protocol", "internal/wire/jsonrpc", "internal/engine", "internal/inside", "internal/binding"}, "it answers for every door, and knows none"},
	"check":                 {[]string{"internal/checkdoc", "internal/jsonpointer", "call", "call/result", "schema", "internal/machine/filestate", "internal/bounded", "internal/wire/strictjson"}, "the concept of a check rests on calls, results and their schemas, and on what files look like"},
	"internal/policy":       {[]string{"internal/checkdoc", "internal/jsonpointer", "call", "check", "internal/limit", "schema", "internal/wire/strictjson", "internal/machine/filestate", "internal/blackout", "internal/notice"}, "the operator's file is read without knowing which checks there are"},
	"policy":                {[]string{"check", "checks/suite", "internal/policy"}, "it hands policies out, and reads none itself"},
	".":                     {[]string{"internal/footing", "internal/jsonpointer", "call", "check", "checks/suite", "policy", "internal/policy", "internal/limit", "internal/bounded", "call/result", "schema", "internal/machine/budget", "internal/wire/jsonrpc", "internal/wire/strictjson", "internal/engine", "internal/binding"}, "the Gate puts these together, and nothing else"},
	"internal/engine":       {[]string{"call", "check", "internal/footing"}, "root and its doors agree on it, so it rests on neither"},
	"internal/when":         {[]string{"checks/cron", "internal/blackout", "internal/clockshift", "schema", "internal/wire/strictjson"}, "a schedule knows nothing of what is scheduled"},
	"cmd/internal/jobs/web": {[]string{"internal/auth", "cmd/internal/jobs/inside", "call", "schedule", "internal/when", "internal/jobspec"}, "it shows what the scheduler says; what is reached over HTTP beside it, and by whom, is for who mounts it"},
	"schedule/sqlstore":     {[]string{"schedule", "internal/jobspec"}, "a store keeps jobs and runs, whoever runs them"},
	"schedule":              {[]string{".", "call", "check", "internal/protocol", "upstream", "internal/when", "internal/blackout", "internal/jobspec", "internal/wire/strictjson", "internal/secrets"}, "it judges and calls through upstream, and knows neither databases nor doors"},
	"internal/dbdriver":     {nil, "what reaches a database knows nothing of what is asked"},
	"internal/limit":        {[]string{"check"}, "it counts calls, whatever they are"},
	"internal/rule":         {[]string{"internal/jsonpointer", "call", "check", "checks/pathstate", "schema", "internal/bounded", "internal/secrets", "internal/wire/jsonrpc", "internal/wire/strictjson"}, "it carries CEL, which only those who write rules pay for"},
	"internal/pin":          {[]string{"call", "check", "internal/bounded", "internal/wire/strictjson", "internal/listed"}, "a lock compares definitions, whoever lists them and whatever a policy makes of it"},
	"internal/calllog":      {[]string{"check", "internal/wire/strictjson"}, "a log holds facts, whoever tells them"},
	"telemetry":             {[]string{"internal/observe"}, "an interface needs nothing"},
	"internal/observe":      {nil, "it is about traces and policies, whoever exports them"},
	"internal/record":       {[]string{".", "internal/engine", "internal/calllog", "call", "check", "internal/policy", "telemetry", "internal/logname"}, "it puts what a door tells into the words of logs and metrics, for every door alike"},
	"call/result":           {nil, "a result is text with places; what is looked for in it is the checks' affair"},
	"internal/secrets":      {[]string{"internal/packed"}, "it finds secrets in any text"},
	"scan/secret":           {[]string{"internal/secrets"}, "it finds secrets in any text"},
	"scan/injection":        {nil, "it finds signals in any text"},
	"internal/auth":         {[]string{"internal/policy", "internal/wire/strictjson"}, "who makes a request is known before anything of the call is"},

	"schedule/memstore":  {[]string{"schedule", "internal/jobspec"}, "a store keeps jobs and runs, whoever runs them"},
	"schedule/storetest": {[]string{"schedule", "internal/jobspec"}, "it tests any store, and knows none"},
}

func TestModuleImports(t *testing.T) {
	t.Parallel()
	g := importGraph(sources(t))
	for pkg, rule := range exact {
		missing(t, g, pkg, rule.why)
		for name := range g[pkg] {
			if _, ours := g[name]; ours && name != "internal/lazy" && name != "internal/lazyregexp" && !slices.Contains(rule.may, name) {
				t.Errorf("%s imports %s; of the module it may import %v: %s", pkg, name, rule.may, rule.why)
			}
		}
	}
}

// TestChecksStandAlone checks that a check can be left out or moved: it imports no other check. Only a
// runtime half such as "pathstate" may import its other half "path", for the options.
func TestChecksStandAlone(t *testing.T) {
	t.Parallel()
	for pkg, imports := range importGraph(sources(t)) {
		own, isCheck := strings.CutPrefix(pkg, "checks/")
		if !isCheck || own == "suite" {
			continue
		}
		own, _, _ = strings.Cut(own, "/")
		for name := range imports {
			other, isCheck := strings.CutPrefix(name, "checks/")
			other, _, _ = strings.Cut(other, "/")
			if isCheck && other != own && other != "internal" && other+"state" != own {
				t.Errorf("%s imports %s: move what both need to a package of its own, or the one cannot do without the other", pkg, name)
			}
		}
	}
}

// TestRulesCanFail checks that the search for imports finds existing ones.
func TestRulesCanFail(t *testing.T) {
	t.Parallel()
	g := graph{
		"a":   {"b": true, "fmt": true},
		"b":   {"c/d": true},
		"c/d": {"a": true, "example.org/sdk/mcp": true},
	}
	for _, tt := range []struct{ pkg, pattern, want string }{
		{"a", "example.org/sdk/...", "a b c/d example.org/sdk/mcp"},
		{"a", "c/...", "a b c/d"},
		{"a", "c", ""},
		{"a", "example.org/sd/...", ""},
		{"c/d", "b", "c/d a b"},
		{"a", "a", ""},
	} {
		if got := strings.Join(g.chain(tt.pkg, tt.pattern), " "); got != tt.want {
			t.Errorf("chain(%s, %s) = %q, want %q", tt.pkg, tt.pattern, got, tt.want)
		}
	}
	real := importGraph(sources(t))
	if real.chain("mcpgate", sdks[0]) == nil {
		t.Error("mcpgate is not seen to import the SDK")
	}
}
