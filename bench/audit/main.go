// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Audit compares the results of "toolvet audit" with published vulnerabilities from npm. For each one, it audits the
// vulnerable version and the fixed one, by trying the server and by reading its code. It prints the table of
// docs/audit.md.
//
//	go run ./bench/audit
//
// It takes some ten minutes: -only NAME audits one package.
//
// It audits other servers from a list, too, in the same way:
//
//	go run ./bench/audit -cache DIR -pairs bench/audit/testdata/unseen.json
//	go run ./bench/audit -cache DIR -popular bench/audit/testdata/popular.json
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// flags are the command line.
type flags struct {
	toolvet string
	only    string
	static  bool

	pairs, popular string
	cache, repos   string
	prepare        bool
}

func main() {
	var f flags
	flag.StringVar(&f.toolvet, "toolvet", "", "`FILE` of toolvet; built from this module if empty")
	flag.StringVar(&f.only, "only", "", "audit the package NAME alone")
	flag.BoolVar(&f.static, "static", false, "read the code, and start no server")
	flag.StringVar(&f.pairs, "pairs", "", "audit the pairs of the list in `FILE`, by trying alone and by reading alone")
	flag.StringVar(&f.popular, "popular", "", "audit the servers of the list in `FILE`, and print each finding that lowers a grade")
	flag.StringVar(&f.cache, "cache", "", "with -pairs and -popular: install in `DIR`, and use what is there")
	flag.StringVar(&f.repos, "repos", "", "with -pairs: `DIR` of Git repositories (OWNER+NAME/repo), before GitHub")
	flag.BoolVar(&f.prepare, "prepare", false, "with -pairs and -popular: install, start each server and list its tools, report those that do not start, and audit nothing")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, f, pairs, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

// run audits the pairs, and prints a row for each.
func run(ctx context.Context, f flags, pairs []pair, out io.Writer) error {
	dir, err := os.MkdirTemp("", "toolvet-bench-audit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if f.toolvet == "" && !f.prepare {
		f.toolvet = filepath.Join(dir, "toolvet")
		if text, err := exec.CommandContext(ctx, "go", "build", "-o", f.toolvet, "./cmd/toolvet").CombinedOutput(); err != nil {
			return fmt.Errorf("building toolvet: %w\n%s", err, text)
		}
	}
	if f.pairs != "" || f.popular != "" {
		// A server may run in another directory.
		if f.cache, err = filepath.Abs(cmp.Or(f.cache, dir)); err != nil {
			return err
		}
		return runList(ctx, f, out)
	}
	fmt.Fprintln(out, "| vulnerable → fixed | class | tried: vulnerable | tried: fixed | code: vulnerable | code: fixed |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|")
	for _, p := range pairs {
		if f.only != "" && f.only != p.name {
			continue
		}
		var cells [4]string
		for i, version := range []string{p.vulnerable, p.fixed} {
			installed, err := p.install(ctx, filepath.Join(dir, fmt.Sprintf("%d", i)), version)
			if err != nil {
				cells[i], cells[i+2] = "not installed", "not installed"
				fmt.Fprintln(os.Stderr, err)
				continue
			}
			cells[i] = "not tried"
			if !f.static {
				cells[i] = p.audit(ctx, f.toolvet, installed.tried)
			}
			cells[i+2] = p.audit(ctx, f.toolvet, installed.read)
		}
		fmt.Fprintf(out, "| %s %s → %s (%s) | %s | %s |\n", p.name, p.vulnerable, p.fixed, p.advisory, p.class, strings.Join(cells[:], " | "))
	}
	return nil
}

// An installation is an installed version, ready for both kinds of audit, and for both at once.
type installation struct{ tried, read, both, command []string }

// install installs a version with npm, without running its scripts.
func (p pair) install(ctx context.Context, dir, version string) (installation, error) {
	dir = filepath.Join(dir, strings.ReplaceAll(p.name, "/", "+"))
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", p.name+"@"+version)
	if text, err := cmd.CombinedOutput(); err != nil {
		return installation{}, fmt.Errorf("npm install %s@%s: %w\n%s", p.name, version, err, text)
	}
	home := filepath.Join(dir, "node_modules", filepath.FromSlash(p.name))
	program, err := programOf(home)
	if err != nil {
		return installation{}, err
	}
	tried := []string{"audit", "--json"}
	for _, e := range p.env {
		tried = append(tried, "--env", e)
	}
	return installation{
		tried: append(append(tried, "--", "node", program), p.args...),
		read:  []string{"audit", "--json", home},
	}, nil
}

// programOf returns the file that starts a package's server.
func programOf(home string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(home, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct{ Bin json.RawMessage }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return "", err
	}
	var one string
	if json.Unmarshal(manifest.Bin, &one) == nil {
		return filepath.Join(home, one), nil
	}
	var many map[string]string
	if err := json.Unmarshal(manifest.Bin, &many); err != nil || len(many) == 0 {
		return "", errors.New(home + ": package.json names no program")
	}
	names := make([]string, 0, len(many))
	for name := range many {
		names = append(names, name)
	}
	slices.Sort(names)
	return filepath.Join(home, many[names[0]]), nil
}

// report is the part of docs/audit-report.schema.json that the program needs.
type report struct {
	Grade struct {
		Letter     string
		Incomplete bool
		Coverage   struct{ Percent int }
	}
	Findings []struct {
		Tool, Param, Class, Severity, Confidence, Why string
		Rules                                         []string
		Evidence                                      []struct {
			Why   string
			Proof struct{ Arguments, Seen string }
		}
	}
	Cells []struct{ Tool, Param, Class, Verdict string }
}

// audit runs toolvet, and sums up its findings about the pair's class in a few words.
func (p pair) audit(ctx context.Context, toolvet string, args []string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, toolvet, args...).Output()
	var r report
	if json.Unmarshal(out, &r) != nil {
		return fmt.Sprintf("no report: %v", err)
	}
	return p.words(r)
}

// words sums up a report about the pair's class: the weaknesses found, strongest first, with the number of
// parameters; without any, the number of guards.
func (p pair) words(r report) string {
	var found []string
	parameters := map[string]int{}
	guarded := 0
	for _, f := range r.Findings {
		if f.Class != p.class || f.Severity == "info" {
			continue
		}
		what := strings.Join(f.Rules, ", ") + ": " + f.Confidence
		if parameters[what]++; parameters[what] == 1 {
			found = append(found, what)
		}
	}
	for _, c := range r.Cells {
		if c.Class == p.class && c.Verdict == "guarded" {
			guarded++
		}
	}
	for i, what := range found {
		found[i] = fmt.Sprintf("%s (%d)", what, parameters[what])
	}
	words := strings.Join(found, "; ")
	switch {
	case words == "" && guarded > 0:
		words = fmt.Sprintf("guarded (%d)", guarded)
	case words == "":
		words = "–"
	}
	if r.Grade.Incomplete {
		words += fmt.Sprintf(", %d %% assessed", r.Grade.Coverage.Percent)
	}
	return words
}
