// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Rehearse measures what a rehearsal costs beside the same call made directly: from nothing
// (cold), with a server that is ready (warm), and in a tree of 100,000 files.
//
//	go run ./bench/rehearse
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolvet/toolvet/rehearse"
	"github.com/toolvet/toolvet/upstream"
)

// server is where server-filesystem is once the npm packages are installed.
const server = "internal/npm/testdata/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" {
		os.Exit(rehearse.Run(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		serve()
		return
	}
	rounds := flag.Int("rounds", 15, "how often each is measured")
	files := flag.Int("files", 100_000, "files in the large tree")
	flag.Parse()
	if err := run(context.Background(), *rounds, *files); err != nil {
		fmt.Fprintln(os.Stderr, "rehearse:", err)
		os.Exit(1)
	}
}

// A subject is a server, and a call of it that writes a file.
type subject struct {
	name    string
	command []string
	call    rehearse.Call
	dir     string
}

func run(ctx context.Context, rounds, files int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	small, err := os.MkdirTemp("", "bench-rehearse-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(small)
	large := filepath.Join(small, "large")
	if err := tree(large, files); err != nil {
		return err
	}
	call := func(dir string) rehearse.Call {
		arguments, _ := json.Marshal(map[string]string{"path": filepath.Join(dir, "new.txt"), "content": "hello\n"})
		return rehearse.Call{Tool: "write_file", Arguments: arguments}
	}
	dir := filepath.Join(small, "small")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	tiny := []string{self, "serve"}
	subjects := []subject{{"Go", tiny, call(dir), dir}, {fmt.Sprintf("Go, %d files", files), tiny, call(large), large}}
	if _, err := os.Stat(server); err == nil {
		js, err := filepath.Abs(server)
		if err != nil {
			return err
		}
		subjects = append(subjects, subject{"server-filesystem", []string{"node", js, dir}, call(dir), dir})
	}
	fmt.Println("| server | direct ms | cold ms | added ms | direct, server ready ms | warm ms | added ms |\n|---|--:|--:|--:|--:|--:|--:|")
	for _, s := range subjects {
		if err := s.measure(ctx, self, rounds); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// tree makes a directory with files in directories of a thousand.
func tree(dir string, files int) error {
	for i := range files {
		sub := filepath.Join(dir, fmt.Sprintf("d%03d", i/1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(sub, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%03d", i%1000)), []byte("x"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// measure takes all ways in turn, so that what else the machine does falls on all alike.
func (s subject) measure(ctx context.Context, self string, rounds int) error {
	cfg := rehearse.Config{Command: s.command, Dir: s.dir, Init: []string{self, "sandbox"}}
	pool := rehearse.NewPool(cfg)
	defer pool.Close()
	var direct, ready, cold, warm []time.Duration
	for range rounds {
		for _, way := range []struct {
			times *[]time.Duration
			do    func() error
		}{
			{&direct, func() error { return s.direct(ctx, &ready) }},
			{&cold, func() error {
				session, err := rehearse.Start(ctx, cfg)
				if err != nil {
					return err
				}
				return s.rehearse(ctx, session)
			}},
			{&warm, func() error {
				session, err := pool.Take(ctx)
				if err != nil {
					return err
				}
				return s.rehearse(ctx, session)
			}},
		} {
			pool.Warm()
			began := time.Now()
			if err := way.do(); err != nil {
				return err
			}
			*way.times = append(*way.times, time.Since(began))
		}
	}
	d, c, r, w := median(direct), median(cold), median(ready), median(warm)
	fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f |\n", s.name, d, c, c-d, r, w, w-r)
	return nil
}

// direct starts the server, makes the call and ends it, without a sandbox. How long that took from
// when the server was ready is added to ready.
func (s subject) direct(ctx context.Context, ready *[]time.Duration) error {
	client, err := upstream.Start(ctx, upstream.Command{Args: s.command, Dir: s.dir})
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	if _, _, err := client.Tools(ctx); err != nil {
		return err
	}
	began := time.Now()
	if _, err := client.Call(ctx, s.call.Tool, s.call.Arguments); err != nil {
		return err
	}
	client.Close(ctx)
	*ready = append(*ready, time.Since(began))
	return os.Remove(filepath.Join(s.dir, "new.txt"))
}

// rehearse makes the call in a session, and ends that.
func (s subject) rehearse(ctx context.Context, session *rehearse.Session) error {
	defer session.Close()
	if done := session.Call(ctx, s.call); done.Result == nil {
		return errors.New(done.Failed)
	}
	report, err := session.Finish(ctx)
	if err == nil && report.OfCalls() != 1 {
		err = fmt.Errorf("%d changes were told, not one", report.OfCalls())
	}
	return err
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2]) / float64(time.Millisecond)
}
