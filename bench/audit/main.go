// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Audit compares the results of "toolvet audit" with published vulnerabilities. For each one, it audits the
// vulnerable version of a server and the fixed one, by trying it alone and by reading its code alone, and prints what is
// caught and what is told apart.
//
//	go run ./bench/audit
//
// audits the public pairs of testdata/public.json in some ten minutes; -only NAME audits those of one server. Another
// list takes longer:
//
//	go run ./bench/audit -cache DIR -pairs bench/audit/testdata/unseen.json
//
// Popular servers have no pair. For these, it prints each finding that lowers a grade:
//
//	go run ./bench/audit -cache DIR -popular bench/audit/testdata/popular.json
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// public is the list of pairs without -pairs, from the top of the module.
const public = "bench/audit/testdata/public.json"

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
	flag.StringVar(&f.only, "only", "", "audit the server NAME alone: a package, or owner/name")
	flag.BoolVar(&f.static, "static", false, "read the code, and start no server")
	flag.StringVar(&f.pairs, "pairs", public, "audit the pairs of the list in `FILE`, by trying alone and by reading alone")
	flag.StringVar(&f.popular, "popular", "", "in place of pairs, audit the servers of the list in `FILE`, and print each finding that lowers a grade")
	flag.StringVar(&f.cache, "cache", "", "install in `DIR`, and use what is there")
	flag.StringVar(&f.repos, "repos", "", "`DIR` of Git repositories (OWNER+NAME/repo), before GitHub")
	flag.BoolVar(&f.prepare, "prepare", false, "install, start each server and list its tools, report those that do not start, and audit nothing")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

// run audits the servers of a list.
func run(ctx context.Context, f flags, out io.Writer) error {
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
	// A server may run in another directory.
	if f.cache, err = filepath.Abs(cmp.Or(f.cache, dir)); err != nil {
		return err
	}
	return runList(ctx, f, out)
}

// report is the part of docs/audit-report.schema.json that the program needs.
type report struct {
	Grade struct {
		Letter   string
		Coverage struct{ Percent int }
	}
	Cells []struct{ Tool, Param, Class, Verdict string }

	Findings []struct {
		Tool, Param, Class, Severity, Confidence, Why string
		Evidence                                      []struct {
			Why   string
			Proof struct{ Arguments, Seen string }
		}
	}
}
