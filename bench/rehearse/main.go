// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Rehearse compares the cost of a rehearsal with that of the same call made directly: with a new server (cold), with
// a server that is ready (warm), and in a tree of 100,000 files.
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

	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// server is the place of server-filesystem after the installation of the npm packages.
const server = "internal/test/npm/testdata/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" {
		os.Exit(rehearsal.Run(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		serve(os.Args[2:])
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

// A subject is a server with a call that writes a file.
type subject struct {
	name    string
	command []string
	call    rehearsal.Call
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
	call := func(dir string) rehearsal.Call {
		arguments, _ := json.Marshal(map[string]string{"path": filepath.Join(dir, "new.txt"), "content": "hello\n"})
		return rehearsal.Call{Tool: "write_file", Arguments: arguments}
	}
	dir := filepath.Join(small, "small")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	tiny := []string{self, "serve"}
	subjects := []subject{
		{"Go", tiny, call(dir), dir},
		{fmt.Sprintf("Go, %d files", files), tiny, call(large), large},
		{fmt.Sprintf("Go, %d files, which it looks at as it starts", files), []string{self, "serve", large}, call(large), large},
	}
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

// measure takes all ways in turn, so that other load on the machine falls on all alike. The ready servers have waited
// equally long with and without a sandbox.
func (s subject) measure(ctx context.Context, self string, rounds int) error {
	cfg := rehearsal.Config{Command: s.command, Dir: s.dir, Init: []string{self, "sandbox"}}
	pool := rehearsal.NewPool(cfg)
	defer pool.Close()
	var times [4][]time.Duration // direct, cold, ready, warm
	for i := range rounds {
		pool.Warm()
		ready, err := s.start(ctx)
		if err != nil {
			return err
		}
		ways := [4]func() error{
			func() error {
				client, err := s.start(ctx)
				if err != nil {
					return err
				}
				return s.direct(ctx, client)
			},
			func() error { return s.rehearse(rehearsal.Start(ctx, cfg)) },
			func() error { return s.direct(ctx, ready) },
			func() error { return s.rehearse(pool.Take(ctx)) },
		}
		order := []int{0, 1, 2, 3}
		if i%2 == 1 {
			order = []int{1, 0, 3, 2}
		}
		for _, way := range order {
			began := time.Now()
			if err := ways[way](); err != nil {
				ready.Close(ctx)
				return err
			}
			times[way] = append(times[way], time.Since(began))
			if err := os.RemoveAll(filepath.Join(s.dir, "new.txt")); err != nil {
				return err
			}
		}
	}
	d, c, r, w := median(times[0]), median(times[1]), median(times[2]), median(times[3])
	fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f |\n", s.name, d, c, c-d, r, w, w-r)
	return nil
}

// start starts the server without a sandbox.
func (s subject) start(ctx context.Context) (servers.Client, error) {
	client, err := servers.Connect(ctx, upstream.Command{Args: s.command, Dir: s.dir}, servers.Options{})
	if err != nil {
		return nil, err
	}
	if _, _, err := client.Tools(ctx); err != nil {
		client.Close(ctx)
		return nil, err
	}
	return client, nil
}

// direct makes the call, and ends the server.
func (s subject) direct(ctx context.Context, client servers.Client) error {
	defer client.Close(ctx)
	_, err := client.Call(ctx, s.call.Tool, s.call.Arguments)
	return err
}

// rehearse makes the call in a session, and ends the session.
func (s subject) rehearse(session *rehearsal.Session, err error) error {
	if err != nil {
		return err
	}
	defer session.Close()
	ctx := context.Background()
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
