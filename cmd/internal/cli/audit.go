// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/api"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/audit/render"
	"github.com/toolvet/toolvet/internal/audit/sarif"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/secrets"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// auditFlags are the flags of "toolvet audit".
type auditFlags struct {
	failUnder    string
	partly       bool // accept an incomplete grade
	json         bool
	files        map[string]*string // reports to write, by their kind
	imports      []string           // results of other engines
	suppressions string
	baseline     string
	reason       string
	expires      string
	env          []string
	dir          string
	replay       string
	answers      *api.File // of replay; nil: none
	sparing      bool
	own          bool
	behindProxy  bool
	policy       string
	preset       string
	writePolicy  string
	contain      bool
	time         time.Duration
	callTimeout  time.Duration
	anchor       string
	verbose      bool
	progress     func(tool string, done, all int)
}

// auditSuppressions is the default file of suppressions.
const auditSuppressions = ".toolvet-audit.json"

func (a *app) auditCommand() *cobra.Command {
	flags := auditFlags{files: map[string]*string{}}
	cmd := &cobra.Command{
		Use:         "audit [flags] [DIR|PACKAGE|URL] [-- SERVER-COMMAND...]",
		Short:       "Grade a server's input validation, with evidence",
		Annotations: map[string]string{fillsRoot: "yes"},
		Long: `Grade a server's input validation, with evidence.

With a command, -- before it or not, audit runs the server in a sandbox of the Linux
kernel, with files, links and a network made for it, and observes the effects of calls.
Write {ROOT} in the command, or in --env, in place of the directory that the server may
use. Without {ROOT}, a directory at the end of the command stands for it.

With a directory, audit reads the code in it and follows the arguments of tools to files,
commands and requests. It reads JavaScript, TypeScript and Python. A name stands for a
package in node_modules. A command and a directory together prove what the code suggests,
or clear it. With --import-sarif, what other engines found in the code is suspected, too.

A sandbox cannot contain a server behind a URL. With --i-own-this, audit only makes calls
that break the schemas of tools that read.

Exit codes: 0 the grade is --fail-under or better, or there is no --fail-under, 1 it is worse
or incomplete (B?), 2 not audited.`,
		Example: `  toolvet audit npx -y @modelcontextprotocol/server-filesystem {ROOT}
  toolvet audit ./my-server -- node my-server/dist/index.js
  toolvet audit --fail-under B --sarif audit.sarif ./my-server
  toolvet audit --import-sarif codeql.sarif ./my-server -- node my-server/dist/index.js
  toolvet audit --behind-proxy -- npx -y @modelcontextprotocol/server-filesystem {ROOT}
  toolvet audit --write-policy toolvet.yaml -- node my-server/dist/index.js {ROOT}`,
		RunE: func(cmd *cobra.Command, args []string) error {
			places, server, err := placesAndCommand(cmd, args, isAuditPlace)
			if err != nil {
				return err
			}
			return a.audit(cmd, flags, places, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.failUnder, "fail-under", "", "exit with 1 if the grade is worse than `A|B|C|D`")
	f.BoolVar(&flags.partly, "allow-incomplete", false, "with --fail-under: accept an incomplete grade such as B? as its letter")
	f.BoolVar(&flags.json, "json", false, "print the report as JSON")
	for kind, what := range map[string]string{
		"sarif": "report as SARIF 2.1.0", "html": "report as a page", "markdown": "report as a summary for pull requests",
		"badge": "grade as a picture (SVG)",
	} {
		flags.files[kind] = f.String(kind, "", "write the "+what+" to `FILE`, too")
	}
	f.StringArrayVar(&flags.imports, "import-sarif", nil, "take the results in `FILE` (SARIF 2.1.0 of CodeQL, Semgrep, Bandit, gosec …) as suspicions; repeatable")
	f.StringVar(&flags.suppressions, "suppressions", "", "`FILE` with accepted findings; default: "+auditSuppressions+", if it exists")
	f.StringVar(&flags.baseline, "write-baseline", "", "write all findings to `FILE`, as suppressions; needs --reason and --expires")
	f.StringVar(&flags.reason, "reason", "", "why the findings of the baseline may stay, in `WORDS`")
	f.StringVar(&flags.expires, "expires", "", "the last `DAY` of the baseline, such as 2026-12-31, within a year")
	f.StringArrayVar(&flags.env, "env", nil, "`NAME=VALUE` to add to the server's clean environment; repeatable")
	f.StringVar(&flags.dir, "dir", "", "working `DIR` of the server; default: its root, or the current one if it does not start there")
	f.StringVar(&flags.replay, "replay", "", "answer the server's requests to APIs from `FILE`, an HTTP Archive (HAR) or an OpenAPI 3 document")
	f.BoolVar(&flags.sparing, "skip-destructive", false, "leave out tools that delete or stop something, even in the sandbox")
	f.BoolVar(&flags.own, "i-own-this", false, "for a URL: confirm that the server is yours")
	f.BoolVar(&flags.behindProxy, "behind-proxy", false, "audit the server again behind 'toolvet proxy', and show what changes")
	f.StringVar(&flags.policy, "policy", "", "with --behind-proxy: the proxy's policy `FILE`")
	f.StringVar(&flags.preset, "preset", "", "with --behind-proxy: the proxy's preset, `observe|standard|strict|none`")
	f.StringVar(&flags.writePolicy, "write-policy", "", "draft the policy that closes the proven weaknesses, audit the server again behind the proxy with it, and write it to `FILE`")
	f.BoolVar(&flags.contain, "contain", false, "with --behind-proxy or --write-policy: with the walls of 'toolvet proxy --contain'")
	f.DurationVar(&flags.time, "time", 5*time.Minute, "time for the calls of an audit; starts of the server add up to 3 minutes, and --behind-proxy a second audit")
	f.DurationVar(&flags.callTimeout, "call-timeout", 6*time.Second, "time limit for one call")
	f.StringVar(&flags.anchor, "anchor", "", "for SARIF: the `FILE` that gets findings without a line of code; default: the manifest in the directory")
	f.BoolVar(&flags.verbose, "server-log", false, "print the server's standard error")
	return cmd
}

func (f *auditFlags) check(cmd *cobra.Command, places, server []string) error {
	switch {
	case len(places) > 1:
		return usageError(cmd, "name one directory, package or URL, or a server's command: its program has to be on the PATH")
	case len(places) == 0 && len(server) == 0:
		return usageError(cmd, "name what to audit: a directory, a package or a URL, or a server's command after --")
	case len(places) > 0 && isURL(places[0]) && len(server) > 0:
		return usageError(cmd, "name a URL, or a server's command after --, and not both")
	case f.replay != "" && len(server) == 0:
		return usageError(cmd, "--replay needs the server's command after --")
	case f.failUnder != "" && !audit.Letter(f.failUnder).Valid():
		return usageError(cmd, "--fail-under must be A, B, C, D or F")
	case f.partly && f.failUnder == "":
		return usageError(cmd, "--allow-incomplete needs --fail-under")
	case f.writePolicy != "" && (f.policy != "" || f.preset != ""):
		return usageError(cmd, "--write-policy drafts the proxy's policy: leave out --policy and --preset")
	case f.contain && !f.behindProxy && f.writePolicy == "":
		return usageError(cmd, "--contain is for the proxy: add --behind-proxy")
	case f.behindProxy && len(server) == 0:
		return usageError(cmd, "--behind-proxy needs the server's command after --")
	case f.behindProxy && (len(places) > 0 || f.baseline != ""):
		return usageError(cmd, "--behind-proxy tries the server alone: leave out the directory and --write-baseline")
	case f.behindProxy && len(f.imports) > 0:
		return usageError(cmd, "--behind-proxy tries the server alone: leave out --import-sarif")
	case !f.behindProxy && (f.policy != "" || f.preset != ""):
		return usageError(cmd, "--policy and --preset are for the proxy: add --behind-proxy")
	case f.baseline != "" && (f.reason == "" || f.expires == ""):
		return usageError(cmd, "--write-baseline needs --reason and --expires")
	case f.baseline == "" && (f.reason != "" || f.expires != ""):
		return usageError(cmd, "--reason and --expires are for a baseline: add --write-baseline")
	case f.time <= 0 || f.callTimeout <= 0:
		return usageError(cmd, "--time and --call-timeout must be longer than 0")
	}
	written := map[string]bool{}
	for _, name := range []string{*f.files["sarif"], *f.files["html"], *f.files["markdown"], *f.files["badge"], f.baseline} {
		if name != "" && written[name] {
			return usageError(cmd, "each report needs a file of its own: %s", name)
		}
		written[name] = true
	}
	for _, v := range f.env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return usageError(cmd, "--env must be NAME=VALUE")
		}
	}
	return nil
}

func (a *app) audit(cmd *cobra.Command, flags auditFlags, places, server []string) error {
	flags.behindProxy = flags.behindProxy || flags.writePolicy != ""
	if err := flags.check(cmd, places, server); err != nil {
		return err
	}
	if err := flags.checkNewPolicy(); err != nil {
		return err
	}
	var err error
	if flags.answers, err = readAnswers(flags.replay); err != nil {
		return err
	}
	if flags.behindProxy { // report faults of the policy before any call
		if _, err := (enforce.Source{Checks: a.checks, Policy: flags.policy, Preset: flags.preset}).ForServer(server); err != nil {
			return err
		}
	}
	ctx, now := cmd.Context(), time.Now()
	in := audit.Input{Now: now, Language: audit.LanguageOfCommand(server)}
	if in.Suppressions, err = flags.readSuppressions(now); err != nil {
		return err
	}
	place := ""
	if len(places) > 0 {
		place = places[0]
	}
	logs, err := readLogs(flags.imports)
	if err != nil {
		return err
	}
	name := oneLine(cmp.Or(place, strings.Join(server, " ")), 64)
	end := a.following(&flags, "auditing "+name)
	defer end()
	var found *probe.Result
	if isURL(place) {
		if err = a.auditURL(ctx, flags, place, &in); err == nil {
			err = logs.suspect("", nil, &in)
		}
	} else {
		found, err = a.auditHere(ctx, flags, place, server, logs, &in)
	}
	end()
	if err != nil {
		return err
	}
	if flags.behindProxy {
		defer a.following(&flags, "auditing "+name+" behind the proxy")()
		return a.auditBehindProxy(ctx, flags, server, in, found)
	}
	err = a.finishAudit(flags, place, audit.New(in))
	if ctx.Err() != nil {
		return errors.New("interrupted: the report covers only the calls before")
	}
	return err
}

// following tells how far an audit is.
func (a *app) following(flags *auditFlags, what string) (end func()) {
	var at atomic.Value // of a string
	at.Store(what)
	flags.progress = func(tool string, done, all int) {
		at.Store(fmt.Sprintf("%s: %s, %d of %d steps done", what, tool, done, all))
	}
	return a.workingOn(func() string { return at.Load().(string) })
}

// readAnswers reads the file of --replay; nil: there is none.
func readAnswers(name string) (*api.File, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the answers to replay: %w", err)
	}
	defer f.Close()
	answers, err := api.Read(f)
	if err != nil {
		return nil, fmt.Errorf("the answers to replay: %s: %w", name, err)
	}
	return answers, nil
}

// finishAudit shows and writes the report. Its error reports a grade that is not good enough.
func (a *app) finishAudit(flags auditFlags, place string, report *audit.Report) error {
	if err := flags.writeFiles(report, place); err != nil {
		return err
	}
	if flags.baseline != "" {
		raw, err := audit.Baseline(report, flags.reason, flags.expires, time.Now())
		if err != nil {
			return err
		}
		if err := os.WriteFile(flags.baseline, raw, 0o644); err != nil { // everybody may read it
			return err
		}
	}
	show := render.Text
	if flags.json {
		show = render.JSON
	}
	if err := show(a.stdout, report); err != nil {
		return err
	}
	if !flags.json && slices.ContainsFunc(report.Weaknesses, func(w audit.Weakness) bool { return w.Confidence == audit.Proven && w.Graded() }) {
		fmt.Fprintln(a.stderr, "toolvet: hint: --write-policy FILE drafts a policy that closes what is proven, and tries it")
	}
	return a.auditOutcome(flags, report)
}

// auditOutcome reports whether the grade is good enough. An incomplete grade is not, unless a flag
// accepts it.
func (a *app) auditOutcome(flags auditFlags, r *audit.Report) error {
	switch {
	case r.Grade.Letter == audit.Ungraded:
		return exitCode(exitNotJudged)
	case flags.failUnder == "":
		return nil
	case !r.Grade.Letter.AtLeast(audit.Letter(flags.failUnder)):
		return exitCode(exitNoGo)
	case r.Grade.Incomplete && !flags.partly:
		terminal.Fprintf(a.stderr, "toolvet: the grade %s is incomplete, which --fail-under does not accept: see what is not known, or add --allow-incomplete\n", &r.Grade)
		return exitCode(exitNoGo)
	}
	return nil
}

// auditHere reads the code of a place and runs the server of a command. Either may be missing. It returns the result of the run; nil: there is
// none.
func (a *app) auditHere(ctx context.Context, flags auditFlags, place string, server []string, logs logs, in *audit.Input) (*probe.Result, error) {
	var tools []source.Tool
	if place != "" {
		var err error
		if tools, err = a.readSource(ctx, place, in); err != nil {
			return nil, err
		}
	}
	if err := logs.suspect(place, tools, in); err != nil {
		return nil, err
	}
	if len(server) == 0 {
		return nil, nil
	}
	found, err := a.tryServer(ctx, flags, server, nil, sarif.Steer(in.Facts))
	if err != nil {
		return nil, untried(ctx, place, notFetched(err, server), in)
	}
	in.Target.Methods = append(in.Target.Methods, audit.Dynamic)
	in.Target.Server = found.Server
	if in.Target.Name, err = shownCommand(server); err != nil {
		return nil, err
	}
	in.Facts = append(in.Facts, found.Facts...)
	in.Tools = append(in.Tools, found.Tools...)
	in.Notes = append(in.Notes, found.Notes...)
	return found, nil
}

// notFetched adds to an error what to do if a launcher misses a package.
func notFetched(err error, server []string) error {
	if hint := backend.Unfetched(server, err.Error()); hint != "" {
		return enforce.WithHint(err, "%s", hint)
	}
	return err
}

// untried notes in a report of the code that the server did not run: its facts are inconclusive for each
// tool. Without code, or on a machine that can run no server, it returns the error.
func untried(ctx context.Context, place string, err error, in *audit.Input) error {
	var missing *sandbox.UnsupportedError
	if place == "" || errors.As(err, &missing) || ctx.Err() != nil {
		return err
	}
	why := strings.Join(strings.Fields(err.Error()), " ")
	in.Notes = append(in.Notes, "the server could not be tried, and the report is of its code alone: "+strictjson.Printable(why, 400))
	in.Facts = append(in.Facts, audit.Fact{Cell: audit.Cell{Class: audit.Schema}, Method: audit.Dynamic, Verdict: audit.Inconclusive, Why: "the server could not be started"})
	for _, tool := range in.Tools {
		in.Facts = append(in.Facts, audit.Fact{Cell: audit.Cell{Tool: tool, Class: audit.Schema}, Method: audit.Dynamic, Verdict: audit.Inconclusive, Why: "the server could not be started"})
	}
	return nil
}

// shownCommand redacts secrets in a command.
func shownCommand(command []string) (string, error) {
	scanner, err := secrets.New(secrets.Options{})
	if err != nil {
		return "", err
	}
	line := strings.Join(command, " ")
	for _, m := range slices.Backward(scanner.Scan(line)) {
		line = line[:m.Start] + secrets.Marker(m.Pattern) + line[m.End:]
	}
	return line, nil
}

// tryServer tries a server, in walls unless they are nil, and suspected cells first.
func (a *app) tryServer(ctx context.Context, flags auditFlags, server []string, walls *policy.Containment, suspected []audit.Cell) (*probe.Result, error) {
	init, err := backend.SandboxInit()
	if err != nil {
		return nil, err
	}
	dir := flags.dir
	if dir != "" {
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	cfg := probe.Config{
		Command: server, Env: flags.env, Dir: dir, Init: init, SkipDestructive: flags.sparing, CallTimeout: flags.callTimeout, Budget: flags.time,
		Contain: walls, Suspected: suspected, Replay: flags.answers, Progress: flags.progress,
	}
	if flags.verbose {
		cfg.Stderr = a.stderr
	}
	found, err := probe.Run(ctx, cfg)
	var missing *sandbox.UnsupportedError
	if errors.As(err, &missing) {
		return nil, enforce.WithHint(fmt.Errorf("audit runs servers only in a sandbox: %w", err), "'toolvet audit DIR' reads its code without one; 'toolvet doctor' lists what is missing on this machine")
	}
	return found, err
}

// isAuditPlace reports whether an argument names a place to audit, before it can be a server's command.
func isAuditPlace(arg string) bool {
	_, err := sourceDir(arg)
	return err == nil || isURL(arg)
}

func isURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }

func (a *app) auditURL(ctx context.Context, flags auditFlags, url string, in *audit.Input) error {
	if !flags.own {
		return enforce.WithHint(errors.New("a sandbox cannot contain a server behind a URL, so audit calls it only if it is yours"), "add --i-own-this if it is; 'toolvet audit -- COMMAND' tries one in a sandbox")
	}
	dialer := &backend.Dialer{Server: &policy.Server{URL: url}, Logger: newLogger(a.stderr, false), Told: backend.Every}
	found, err := probe.RunRemote(ctx, probe.RemoteConfig{Dialer: dialer, CallTimeout: flags.callTimeout, Budget: min(flags.time, 2*time.Minute)})
	if err != nil {
		return err
	}
	in.Target = audit.Target{Name: shownURL(url), Server: found.Server, Methods: []audit.Method{audit.Dynamic}}
	in.Facts, in.Tools, in.Notes = found.Facts, found.Tools, found.Notes
	return nil
}

// shownURL removes the credentials from a URL.
func shownURL(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "?")
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}

func (f *auditFlags) readSuppressions(now time.Time) ([]audit.Suppression, error) {
	file := f.suppressions
	if file == "" {
		file = auditSuppressions
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && f.suppressions == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := audit.ReadSuppressions(raw, now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

func (f *auditFlags) writeFiles(r *audit.Report, place string) error {
	for kind, write := range map[string]func(io.Writer, *audit.Report) error{
		"html": render.HTML, "markdown": render.Markdown, "badge": render.Badge,
		"sarif": func(w io.Writer, r *audit.Report) error {
			return render.SARIF(w, r, f.repository(place), toolvet.Version)
		},
	} {
		name := *f.files[kind]
		if name == "" {
			continue
		}
		var b strings.Builder
		if err := write(&b, r); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil { // everybody may read it
			return err
		}
	}
	return nil
}

// repository returns the directory of the code, relative to the current one. Its manifest gets the findings
// without a line of code.
func (f *auditFlags) repository(place string) render.Repository {
	at := render.Repository{Anchor: f.anchor}
	if dir, err := sourceDir(place); err == nil && place != "" {
		at.Dir = fromHere(dir)
	}
	if at.Anchor != "" {
		return at
	}
	manifests := []string{"package.json", "pyproject.toml", "go.mod", "server.json", "README.md"}
	i := slices.IndexFunc(manifests, func(name string) bool {
		_, err := os.Stat(filepath.Join(filepath.FromSlash(at.Dir), name))
		return err == nil
	})
	at.Anchor = path.Join(at.Dir, manifests[max(i, 0)])
	return at
}

// fromHere returns a directory relative to the current one, with slashes; "" for the current directory
// and those outside of it.
func fromHere(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return ""
	}
	rel, err := filepath.Rel(here, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}
