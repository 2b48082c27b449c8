// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Gateway measures how killed and hanging servers affect calls of the others behind one gateway, with many servers
// and many clients over HTTP. Each round has a quiet half, and a half in which one server is killed again and again
// and another is stopped.
//
//	go run ./bench/gateway
//	go run ./bench/gateway -rounds 60 -time 5s    # ten minutes
//
// It prints a table, and fails if an answer is wrong or if goroutines remain.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/upstream"
)

// flags are the command line.
type flags struct {
	servers, clients, rounds int
	time                     time.Duration
}

func main() {
	var f flags
	flag.IntVar(&f.servers, "servers", 20, "servers, of which one is killed and one hangs")
	flag.IntVar(&f.clients, "clients", 200, "clients at once, half with sessions and half of 2026-07-28")
	flag.IntVar(&f.rounds, "rounds", 5, "rounds")
	flag.DurationVar(&f.time, "time", 5*time.Second, "time of each half of a round")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

// A bench is one run.
type bench struct {
	flags
	dir string // for the servers' process ids
	url string
}

func run(ctx context.Context, f flags, out io.Writer) error {
	if f.servers < 3 || f.clients < 2 {
		return errors.New("there must be at least three servers and two clients")
	}
	dir, err := os.MkdirTemp("", "toolvet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server := filepath.Join(dir, "echoserver")
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", server, "github.com/toolvet/toolvet/bench/echoserver").CombinedOutput(); err != nil {
		return fmt.Errorf("building the server: %w\n%s", err, text)
	}
	before := count()
	b := &bench{flags: f, dir: dir}
	rounds, err := b.serve(ctx, server)
	if err != nil {
		return err
	}
	after := settled(before)
	fmt.Fprintf(out, "%s, %s/%s, %d processors; %d servers, %d clients, %d rounds\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), f.servers, f.clients, f.rounds)
	writeTable(out, rounds)
	fmt.Fprintf(out, "\ngoroutines: %d before, %d after; heap: %.1f MiB before, %.1f MiB after\n", before.goroutines, after.goroutines, before.heap, after.heap)
	if after.goroutines > before.goroutines+5 {
		return fmt.Errorf("%d goroutines are left", after.goroutines-before.goroutines)
	}
	return nil
}

// A usage is a measurement of the program's resources.
type usage struct {
	goroutines int
	heap       float64 // MiB
}

func count() usage {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{runtime.NumGoroutine(), float64(m.HeapAlloc) / (1 << 20)}
}

// settled counts after everything closed has ended.
func settled(before usage) usage {
	for range 100 {
		if runtime.NumGoroutine() <= before.goroutines+5 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return count()
}

// name returns the name of a server.
func name(i int) string { return fmt.Sprintf("s%02d", i) }

// serve serves the gateway while all rounds run.
func (b *bench) serve(ctx context.Context, server string) ([]round, error) {
	var servers []gateway.Server
	for i := range b.servers {
		servers = append(servers, gateway.Server{Server: upstream.Server{Name: name(i), Dialer: upstream.Command{
			Args: []string{"sh", "-c", `echo $$ >"$0" && exec "$1"`, b.pidFile(i), server},
		}}})
	}
	g, err := gateway.New(gateway.Config{Servers: servers})
	if err != nil {
		return nil, err
	}
	front := streamable.NewFront(streamable.FrontConfig{Serve: g.Serve, MaxSessions: 2 * b.clients})
	web := httptest.NewServer(front)
	b.url = web.URL
	rounds, err := b.measure(ctx)
	b.signal(hanging, syscall.SIGCONT)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	front.Close(within)
	web.CloseClientConnections()
	web.Close()
	g.Close(within)
	return rounds, err
}

func (b *bench) pidFile(i int) string { return filepath.Join(b.dir, name(i)+".pid") }

// The servers in trouble.
const (
	killed  = 0
	hanging = 1
)

// signal sends a signal to a server, unless it is not running.
func (b *bench) signal(i int, s syscall.Signal) {
	text, err := os.ReadFile(b.pidFile(i))
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && pid > 1 {
		_ = syscall.Kill(pid, s)
	}
}

// measure runs all rounds.
func (b *bench) measure(ctx context.Context) ([]round, error) {
	clients := make([]*client, b.clients)
	for i := range clients {
		c, err := newClient(ctx, b.url, i%2 == 0)
		if err != nil {
			return nil, err
		}
		defer c.close()
		clients[i] = c
	}
	for i := range b.servers { // start all
		if err := clients[0].echo(ctx, name(i)); err != nil {
			return nil, err
		}
	}
	var rounds []round
	for range b.rounds {
		var r round
		var err error
		if r.quiet, err = b.half(ctx, clients); err != nil {
			return nil, err
		}
		stop := b.trouble(ctx, clients)
		r.trouble, err = b.half(ctx, clients)
		stop()
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, r)
	}
	return rounds, nil
}

// trouble kills one server again and again, stops another, and makes some clients call both, until stop is called.
func (b *bench) trouble(ctx context.Context, clients []*client) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	b.signal(hanging, syscall.SIGSTOP)
	running.Go(func() {
		for ctx.Err() == nil {
			b.signal(killed, syscall.SIGKILL)
			sleep(ctx, 500*time.Millisecond)
		}
	})
	for i := range 10 {
		running.Go(func() {
			for ctx.Err() == nil {
				within, cancel := context.WithTimeout(ctx, 2*time.Second)
				_ = clients[i%len(clients)].echo(within, name(i%2)) // a failure is expected here
				cancel()
				sleep(ctx, 100*time.Millisecond)
			}
		})
	}
	return func() {
		cancel()
		running.Wait()
		b.signal(hanging, syscall.SIGCONT)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// half makes all clients call the healthy servers for half a round.
func (b *bench) half(ctx context.Context, clients []*client) (took durations, err error) {
	within, cancel := context.WithTimeout(ctx, b.time)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, c := range clients {
		all.Go(func() {
			var own durations
			var failed error
			for n := i; within.Err() == nil && failed == nil; n++ {
				began := time.Now()
				failed = c.echo(ctx, name(2+n%(b.servers-2)))
				own = append(own, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			took, err = append(took, own...), errors.Join(err, failed)
		})
	}
	all.Wait()
	return took, err
}
