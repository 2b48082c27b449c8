// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// A subject is a server of a list: a pair of versions, or one version for -popular.
type subject struct {
	NPM        string            `json:"npm,omitempty"`        // the package, or
	Repository string            `json:"repository,omitempty"` // owner/name on GitHub
	Language   string            `json:"language,omitempty"`
	Version    string            `json:"version,omitempty"`    // for -popular
	Vulnerable string            `json:"vulnerable,omitempty"` // a version of the package, or a commit
	Fixed      string            `json:"fixed,omitempty"`
	Exclude    []string          `json:"exclude,omitempty"`   // large files that neither the server nor its code need
	Directory  string            `json:"directory,omitempty"` // of the server in its repository
	Build      []string          `json:"build,omitempty"`     // shell commands, at the top of the repository
	Command    []string          `json:"command,omitempty"`   // {DIR} is the directory of the server, {ROOT} the one that it may use; empty if it can only be read
	Env        map[string]string `json:"env,omitempty"`
	Fix        []fix             `json:"fix,omitempty"`
	Advisory   string            `json:"advisory,omitempty"`
	Note       string            `json:"note,omitempty"`
}

// A fix is what one class of weakness is about: the parameters that the fixed version validates.
type fix struct {
	Class      string   `json:"class"`      // path, url, command, sql or code
	Parameters []string `json:"parameters"` // tool.parameter; * is every tool
}

// class returns the class that toolvet gives to the weakness.
func (x fix) class() string {
	if x.Class == "sql" || x.Class == "code" {
		return "command"
	}
	return x.Class
}

func (s subject) name() string { return cmp.Or(s.NPM, s.Repository) }

// readList reads a list of subjects.
func readList(file string) ([]subject, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var list []subject
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, s := range list {
		if (s.NPM == "") == (s.Repository == "") {
			return nil, fmt.Errorf("%s: %q has to be a package or a repository", file, s.name())
		}
	}
	return list, nil
}

// runList audits the subjects of a list, or only installs them.
func runList(ctx context.Context, f flags, out io.Writer) error {
	list, err := readList(cmp.Or(f.popular, f.pairs))
	if err != nil {
		return err
	}
	if f.only != "" {
		if list = slices.DeleteFunc(list, func(s subject) bool { return s.name() != f.only }); len(list) == 0 {
			return fmt.Errorf("the list has no server %s", f.only)
		}
	}
	switch {
	case f.prepare:
		return prepare(ctx, f, list)
	case f.popular != "":
		return runPopular(ctx, f, list, out)
	}
	return runPairs(ctx, f, list, out)
}

// prepare installs each version of each server, starts it and has it list its tools. It audits nothing. A fault of one
// server is not the end; the error has all of them.
func prepare(ctx context.Context, f flags, list []subject) error {
	var failed []error
	for _, s := range list {
		for _, revision := range []string{s.Version, s.Vulnerable, s.Fixed} {
			if revision == "" {
				continue
			}
			i, err := s.install(ctx, f, revision)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			if err := s.start(ctx, i); err != nil {
				failed = append(failed, fmt.Errorf("%s %s: %w", s.name(), revision, err))
			}
		}
	}
	return errors.Join(failed...)
}

// start starts an installed server, and returns an error unless it lists at least one tool. Its environment is clean,
// as in an audit. A server without a command can only be read.
func (s subject) start(ctx context.Context, i installation) error {
	if len(i.command) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	root, err := os.MkdirTemp("", "toolvet-bench-audit-root-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	inRoot := func(word string) string { return strings.ReplaceAll(word, "{ROOT}", root) }
	server := upstream.Command{Dir: root, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root}}
	for _, word := range i.command {
		server.Args = append(server.Args, inRoot(word))
	}
	for name, value := range s.Env {
		server.Env = append(server.Env, name+"="+inRoot(value))
	}
	client, err := servers.Connect(ctx, server, servers.Options{Timeout: time.Minute})
	if err != nil {
		return fmt.Errorf("does not start: %w", err)
	}
	defer client.Close(context.WithoutCancel(ctx))
	tools, faults, err := client.Tools(ctx)
	if err == nil && len(tools.Names()) == 0 {
		err = errors.Join(append(faults, errors.New("no tools"))...)
	}
	if err != nil {
		return fmt.Errorf("does not list its tools: %w", err)
	}
	return nil
}

// A result is what one kind of audit says about the parameters of one fix, or of all the fixes of a pair.
type result struct {
	counted   bool // there are reports of both versions
	found     int  // parameters graded in the vulnerable version
	left      int  // parameters graded in the fixed one
	guarded   int  // parameters of those found that are guarded in the fixed one
	wanted    int  // parameters of the fix
	duration  time.Duration
	failure   string
	foundList []string
}

func (r result) caught() bool { return r.counted && r.found > 0 }
func (r result) apart() bool  { return r.caught() && r.left == 0 }

func (r result) String() string {
	if !r.counted {
		return cmp.Or(r.failure, "–") + " | – | –"
	}
	words := map[bool]string{true: "yes", false: "no"}
	caught := fmt.Sprintf("%s (%d of %d)", words[r.caught()], r.found, r.wanted)
	apart := words[r.apart()]
	// Nothing is graded in a version whose parameters nobody could assess.
	if r.apart() && r.guarded == 0 {
		apart += ", in name only"
	}
	if r.left > 0 {
		apart += fmt.Sprintf(" (%d left)", r.left)
	}
	return fmt.Sprintf("%s | %s | %.0f s", caught, apart, r.duration.Seconds())
}

// runPairs audits pairs, by trying alone and by reading alone, and prints a row for each class of a fix, and totals.
func runPairs(ctx context.Context, f flags, list []subject, out io.Writer) error {
	fmt.Fprintln(out, "| vulnerable → fixed | language | class | tried: caught | told apart | time | read: caught | told apart | time |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	t := totals{}
	for _, s := range list {
		var reports [2][2]*report // by trying and by reading; vulnerable and fixed
		var durations [2]time.Duration
		failures := [2]string{}
		for i, revision := range []string{s.Vulnerable, s.Fixed} {
			installed, err := s.install(ctx, f, revision)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				failures = [2]string{"not installed", "not installed"}
				continue
			}
			for way, args := range [][]string{installed.tried, installed.read} {
				if args == nil || way == 0 && f.static {
					continue
				}
				start := time.Now()
				r, err := audit(ctx, f.toolvet, args)
				durations[way] += time.Since(start)
				if err != nil {
					fmt.Fprintf(os.Stderr, "%s %s: %v\n", s.name(), revision, err)
					failures[way] = "no report"
					continue
				}
				reports[way][i] = r
			}
		}
		all := [2]result{}
		for _, x := range s.Fix {
			var cells []string
			for way := range reports {
				r := s.compare(x, reports[way], durations[way])
				r.failure = failures[way]
				cells = append(cells, r.String())
				t.add(way, "class "+x.Class, r)
				for _, name := range r.foundList {
					fmt.Fprintf(os.Stderr, "%s: %s %s: %s\n", s.name(), [2]string{"tried", "read"}[way], x.Class, name)
				}
				a := &all[way]
				a.counted = r.counted
				a.found += r.found
				a.left += r.left
			}
			fmt.Fprintf(out, "| %s %.8s → %.8s (%s) | %s | %s | %s |\n", s.name(), s.Vulnerable, s.Fixed, s.Advisory, s.Language, x.Class, strings.Join(cells, " | "))
		}
		for way, a := range all {
			t.add(way, s.Language, a)
			t.add(way, "all pairs", a)
		}
	}
	fmt.Fprintln(out, "\n| | tried | caught | told apart | read | caught | told apart |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	for _, name := range slices.Sorted(maps.Keys(t)) {
		row := t[name]
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d |\n", name,
			row[0].pairs, row[0].caught, row[0].apart, row[1].pairs, row[1].caught, row[1].apart)
	}
	return ctx.Err()
}

// totals counts results, by what they have in common and by the way of the audit.
type totals map[string]*[2]struct{ pairs, caught, apart int }

func (t totals) add(way int, name string, r result) {
	if t[name] == nil {
		t[name] = new([2]struct{ pairs, caught, apart int })
	}
	if !r.counted {
		return
	}
	row := &t[name][way]
	row.pairs++
	if r.caught() {
		row.caught++
	}
	if r.apart() {
		row.apart++
	}
}

// compare says what the reports of the two versions have about the parameters of a fix.
func (s subject) compare(x fix, reports [2]*report, duration time.Duration) result {
	r := result{wanted: len(x.Parameters), duration: duration}
	if reports[0] == nil || reports[1] == nil {
		return r
	}
	r.counted = true
	for _, parameter := range x.Parameters {
		if reports[0].graded(parameter, x.class()) {
			r.found++
			r.foundList = append(r.foundList, parameter)
			if reports[1].guarded(parameter, x.class()) {
				r.guarded++
			}
		}
		if reports[1].graded(parameter, x.class()) {
			r.left++
		}
	}
	return r
}

// graded reports whether a finding that counts for the grade is about the parameter and the class.
func (r *report) graded(parameter, class string) bool {
	for _, f := range r.Findings {
		if f.Class == class && f.Severity != "info" && about(parameter, f.Tool, f.Param) {
			return true
		}
	}
	return false
}

// guarded reports whether a guard of the parameter against the class is known.
func (r *report) guarded(parameter, class string) bool {
	for _, c := range r.Cells {
		if c.Class == class && c.Verdict == "guarded" && about(parameter, c.Tool, c.Param) {
			return true
		}
	}
	return false
}

// about reports whether a parameter of a list is meant. It includes what is inside of it: "items" is also /items/*/name.
func about(parameter, tool, pointer string) bool {
	i := strings.LastIndexByte(parameter, '.')
	of, at := parameter[:max(i, 0)], "/"+parameter[i+1:]
	return (of == "*" || of == tool) && (pointer == at || strings.HasPrefix(pointer, at+"/"))
}

// runPopular audits servers by trying and reading, and prints what lowers the grade of each, for a person to judge.
func runPopular(ctx context.Context, f flags, list []subject, out io.Writer) error {
	for _, s := range list {
		start := time.Now()
		installed, err := s.install(ctx, f, s.Version)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			fmt.Fprintf(out, "%s %s: not installed\n", s.name(), s.Version)
			continue
		}
		r, err := audit(ctx, f.toolvet, installed.both)
		if err != nil {
			fmt.Fprintf(out, "%s %s: %v\n", s.name(), s.Version, err)
			continue
		}
		fmt.Fprintf(out, "%s %s: %s, %d %% assessed, %.0f s\n", s.name(), s.Version, r.Grade.Letter, r.Grade.Coverage.Percent, time.Since(start).Seconds())
		for _, f := range r.Findings {
			if f.Severity == "info" {
				continue
			}
			line := fmt.Sprintf("%s.%s: %s, %s, %s: %s", f.Tool, f.Param, f.Class, f.Severity, f.Confidence, f.Why)
			for _, e := range f.Evidence {
				line += "; " + e.Why + " " + e.Proof.Arguments + " " + e.Proof.Seen
			}
			fmt.Fprintln(out, "\t"+strings.Join(strings.Fields(line), " "))
		}
	}
	return ctx.Err()
}

// audit runs toolvet, and reads its report. A server of which nothing could be assessed has none.
func audit(ctx context.Context, toolvet string, args []string) (*report, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, toolvet, args...)
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.Output()
	var r report
	if parse := json.Unmarshal(out, &r); parse != nil {
		return nil, fmt.Errorf("no report: %v, %v, %v: %s", parse, err, ctx.Err(), bytes.TrimSpace(words.Bytes()))
	}
	if r.Grade.Letter == "?" {
		return nil, errors.New("nothing could be assessed")
	}
	return &r, nil
}

// An installation is how to start an installed version, and how to audit it: by trying, by reading, and by both at once.
type installation struct{ command, tried, read, both []string }

// install installs a version below the cache directory if it is not there, and returns how to audit it. The code that
// is read is apart from the code that was built: source has nothing that is not in the repository.
func (s subject) install(ctx context.Context, f flags, revision string) (installation, error) {
	dir := filepath.Join(f.cache, strings.ReplaceAll(s.name(), "/", "+"), revision)
	built, source := filepath.Join(dir, "built"), filepath.Join(dir, "source")
	if s.NPM != "" {
		source = filepath.Join(built, "node_modules", filepath.FromSlash(s.NPM))
	}
	done := filepath.Join(dir, "done")
	if _, err := os.Stat(done); err != nil {
		if err := os.RemoveAll(dir); err != nil {
			return installation{}, err
		}
		if err := os.MkdirAll(built, 0o755); err != nil {
			return installation{}, err
		}
		if s.NPM != "" {
			err = command(ctx, "", "npm", "install", "--prefix", built, "--ignore-scripts", "--no-audit", "--no-fund", s.NPM+"@"+revision)
		} else {
			err = s.build(ctx, f, revision, built, source)
		}
		if err != nil {
			return installation{}, fmt.Errorf("installing %s %s: %w", s.name(), revision, err)
		}
		if err := os.WriteFile(done, nil, 0o644); err != nil {
			return installation{}, err
		}
	}
	home := filepath.Join(built, filepath.FromSlash(s.Directory))
	if s.NPM != "" {
		home = source
	}
	source = filepath.Join(source, filepath.FromSlash(s.Directory))
	i := installation{read: []string{"audit", "--json", source}}
	if len(s.Command) == 0 {
		return i, nil
	}
	i.tried = []string{"audit", "--json"}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		i.tried = append(i.tried, "--env", name+"="+s.Env[name])
	}
	i.both = append(slices.Clone(i.tried), source, "--")
	for _, word := range s.Command {
		i.command = append(i.command, strings.ReplaceAll(word, "{DIR}", home))
	}
	i.tried, i.both = append(append(i.tried, "--"), i.command...), append(i.both, i.command...)
	return i, nil
}

// build checks the commit out into both directories, and builds it in one of them.
func (s subject) build(ctx context.Context, f flags, revision, built, source string) error {
	git := filepath.Join(f.repos, strings.ReplaceAll(s.Repository, "/", "+"), "repo")
	if _, err := os.Stat(git); f.repos == "" || err != nil {
		git = filepath.Join(f.cache, strings.ReplaceAll(s.Repository, "/", "+"), "git")
		if _, err := os.Stat(git); err != nil {
			if err := command(ctx, "", "git", "clone", "--quiet", "--bare", "https://github.com/"+s.Repository, git); err != nil {
				return err
			}
		}
	}
	archive := filepath.Join(filepath.Dir(source), "source.tar")
	defer os.Remove(archive)
	args := []string{"-C", git, "archive", "--format=tar", "--output=" + archive, revision, "--", "."}
	for _, path := range s.Exclude {
		args = append(args, ":(exclude)"+path)
	}
	if err := command(ctx, "", "git", args...); err != nil {
		return err
	}
	for _, dir := range []string{built, source} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := command(ctx, dir, "tar", "-xf", archive); err != nil {
			return err
		}
	}
	for _, line := range s.Build {
		if err := command(ctx, built, "sh", "-c", line); err != nil {
			return err
		}
	}
	return nil
}

// command runs a command in a directory, and returns its output with its error.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// Hooks, downloads of browsers and questions have no place here.
	cmd.Env = append(os.Environ(), "CI=1", "HUSKY=0", "PUPPETEER_SKIP_DOWNLOAD=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return nil
}
