// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// flags are the command line.
type flags struct {
	everything string
	toolvet    string
	sizes      []int
	limit      time.Duration
	checks     bool
	dryRuns    bool
	http       bool
	peer       string
	soak       time.Duration
	weight     bool
	texts      bool
	growth     bool
	textSizes  []int
	peers      string
	counts
}

// header describes the circumstances of the run.
func (f *flags) header(out io.Writer) {
	fmt.Fprintf(out, "%s, %s/%s, %d processors; %d rounds of %d calls one at a time and %d calls 16 at once\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), f.rounds, f.sequential, f.flood)
}

func main() {
	f := flags{sizes: []int{20, 2000, 20_000}, textSizes: []int{20_000, 1_000_000, 8_000_000}}
	flag.StringVar(&f.everything, "everything", everythingPath,
		"`FILE` dist/index.js of @modelcontextprotocol/server-everything")
	flag.StringVar(&f.toolvet, "toolvet", "", "`FILE` of toolvet; built from this module if empty")
	flag.IntVar(&f.rounds, "rounds", 10, "rounds")
	flag.IntVar(&f.sequential, "sequential", 500, "calls of a round, one after the other")
	flag.IntVar(&f.flood, "flood", 1500, "calls of a round, 16 at once")
	flag.IntVar(&f.warmUp, "warmup", 2000, "calls before the first round")
	flag.DurationVar(&f.limit, "limit", 15*time.Minute, "give up after this time")
	flag.BoolVar(&f.checks, "checks", false, "measure the checks of the semantic layer alone, without a proxy")
	flag.BoolVar(&f.dryRuns, "dryruns", false, "measure dry runs alone, without a proxy: kept ones, and batches")
	flag.BoolVar(&f.http, "http", false, "measure what the proxy and the bridge cost over HTTP")
	flag.StringVar(&f.peer, "supergateway", "", "`FILE` dist/index.js of supergateway, for -http; if empty, npm installs it for this run")
	flag.DurationVar(&f.soak, "soak", 0, "put load on toolvet serve for this `TIME`, while a server is killed and another hangs")
	flag.BoolVar(&f.weight, "weight", false, "measure time to start and memory")
	flag.BoolVar(&f.texts, "texts", false, "measure the scan of results, by kind of text")
	flag.BoolVar(&f.growth, "growth", false, "measure lists of 1,000 tools and up to 1,000 rules")
	flag.StringVar(&f.peers, "peers", "", "`FILE` with other proxies over stdio: [{\"Name\": …, \"Command\": […]}], to which the server's command is added")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// everythingPath is the place where this module's tests install servers from npm.
const everythingPath = "internal/test/npm/testdata/node_modules/@modelcontextprotocol/server-everything/dist/index.js"

// run measures every server and size, and prints the tables.
func run(ctx context.Context, f flags, out io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, f.limit, errors.New("the time limit is over"))
	defer cancel()
	dir, err := os.MkdirTemp("", "toolvet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	switch {
	case f.checks:
		return runSuite(ctx, checkSuite, dir, f.rounds, out)
	case f.dryRuns:
		return runSuite(ctx, dryRunSuite, dir, f.rounds, out)
	}
	programs, err := build(ctx, f, dir)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	switch {
	case f.weight:
		return runWeight(ctx, f, programs, dir, out)
	case f.texts:
		return runTexts(ctx, f, programs, dir, out)
	case f.growth:
		return runGrowth(ctx, f, programs, dir, out)
	}
	servers, left := servers(f, programs)
	if left != "" {
		fmt.Fprintln(out, left)
	}
	switch {
	case f.http:
		return runHTTP(ctx, f, programs, servers, dir, out)
	case f.soak > 0:
		return runSoak(ctx, f, programs, dir, out)
	}
	groups, err := measureAll(ctx, f, programs, servers, dir)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	f.header(out)
	writeTable(out, groups)
	fmt.Fprintln(out)
	writeRatios(out, groups)
	return nil
}

// measureAll measures all paths to each server, with each size of argument. Dir is for its own files.
func measureAll(ctx context.Context, f flags, programs programs, servers []server, dir string) ([]group, error) {
	var groups []group
	for _, s := range servers {
		for _, size := range f.sizes {
			policy, err := writePolicy(dir, size)
			if err != nil {
				return nil, err
			}
			ways, err := ways(f, programs, policy)
			if err != nil {
				return nil, err
			}
			var paths []path
			for _, w := range ways {
				paths = append(paths, overStdio(w.Name, slices.Concat(w.Command, s.command)...))
			}
			all, err := measure(ctx, paths, size, f.counts)
			if err != nil {
				return nil, fmt.Errorf("%s, %d bytes: %w", s.name, size, err)
			}
			groups = append(groups, group{s.name, size, all})
		}
	}
	return groups, nil
}

// programs are the files of the measured programs.
type programs struct{ toolvet, echoServer, fastEcho, splice, sdkProxy, reverseProxy string }

// build builds the programs that flags do not name.
func build(ctx context.Context, f flags, dir string) (programs, error) {
	p := programs{toolvet: f.toolvet}
	for pkg, file := range map[string]*string{"cmd/toolvet": &p.toolvet, "bench/echoserver": &p.echoServer, "bench/fastecho": &p.fastEcho, "bench/splice": &p.splice, "bench/sdkproxy": &p.sdkProxy, "bench/reverseproxy": &p.reverseProxy} {
		if *file != "" {
			continue
		}
		*file = filepath.Join(dir, filepath.Base(pkg))
		if runtime.GOOS == "windows" {
			*file += ".exe"
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", *file, "github.com/toolvet/toolvet/"+pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("building %s: %w\n%s", pkg, err, strings.TrimSpace(string(out)))
		}
	}
	return p, nil
}

// The names of servers.
const (
	everything = "server-everything"
	fast       = "fast echo"
)

// A server is the server behind the proxies.
type server struct {
	name    string
	command []string
}

// servers returns the servers that this machine has. Left names the missing ones.
func servers(f flags, p programs) (list []server, left string) {
	list = []server{{"Go echo", []string{p.echoServer}}, {fast, []string{p.fastEcho}}}
	if _, err := os.Stat(f.everything); err != nil {
		return list, fmt.Sprintf("server-everything is left out: %v", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		return list, fmt.Sprintf("server-everything is left out: %v", err)
	}
	return append(list, server{everything, []string{"node", f.everything, "stdio"}}), ""
}
