// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/toolvet/toolvet/internal/limit"
)

// workerEnv turns the test binary into a proxy.
const workerEnv = "TOOLVET_LIMIT_WORKER"

func TestMain(m *testing.M) {
	if text := os.Getenv(workerEnv); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	logging.Disable() // what the client writes to stderr when it cannot connect
	os.Exit(m.Run())
}

// A job is an order to a worker.
type job struct {
	URL, Prefix               string
	Step                      time.Duration // of the rate
	Burst, Concurrency, Quota int
	Most                      int // calls that this worker makes, without haste; 0: as many and as fast as it can
	Lease                     time.Duration
	Hold                      bool     // take what there is, say so, and hold it
	Gauges                    []string // keys that count the running calls of each worker, its own first
}

func (j *job) limit() limit.Limit {
	l := limit.Limit{Name: "calls", Burst: limit.Count(j.Burst), Concurrency: limit.Count(j.Concurrency)}
	if j.Step > 0 {
		l.Rate = limit.Rate{Calls: 1, Per: j.Step}
	}
	if j.Quota > 0 {
		l.Quota = limit.Quota{Calls: j.Quota, Period: limit.Month}
	}
	return l
}

// The words of a worker, one a line.
const (
	passed = "passed"
	no     = "refused"
	held   = "held"
	over   = "over the limit"
)

const workers = 8 // goroutines of one process

// gauge counts a running call, and returns the number of running calls of all workers.
const gauge = `redis.call('INCR', KEYS[1])
local n = 0
for _, v in ipairs(redis.call('MGET', unpack(KEYS))) do n = n + tonumber(v or 0) end
return n`

// work takes calls as fast as it can until standard input ends.
func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	store, err := open(limit.Shared{URL: j.URL, Prefix: j.Prefix}, nil, tuning{patience: unhurried.patience, lease: j.Lease})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	limiter, err := limit.New([]limit.Limit{j.limit()}, store)
	if err != nil {
		return err
	}
	options, err := redis.ParseURL(j.URL)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	w := &worker{job: j, limiter: limiter, redis: redis.NewClient(options)}
	if j.Hold {
		return w.hold(ctx)
	}
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { errs[i] = w.run(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}

type worker struct {
	job
	limiter *limit.Limiter
	redis   *redis.Client
	begun   atomic.Int64
}

// say writes at once, so that a line is whole or missing.
func say(word string) { _, _ = os.Stdout.WriteString(word + "\n") }

func (w *worker) run(ctx context.Context) error {
	for ctx.Err() == nil {
		if w.begun.Add(1) > int64(w.Most) && w.Most > 0 {
			<-ctx.Done()
			return nil
		}
		ticket, err := w.limiter.Take(context.Background(), alice)
		var r *limit.Refusal
		switch {
		case errors.As(err, &r):
			w.begun.Add(-1)
			say(no)
			time.Sleep(time.Millisecond)
			continue
		case err != nil:
			return err
		}
		say(passed)
		if err := w.measure(); err != nil {
			return err
		}
		ticket.Release()
		if w.Most > 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
	return nil
}

// measure counts a running call.
func (w *worker) measure() error {
	if w.Gauges == nil {
		return nil
	}
	ctx := context.Background()
	n, err := w.redis.Eval(ctx, gauge, w.Gauges).Int()
	if err != nil {
		return err
	}
	if n > w.Concurrency {
		say(over)
	}
	return w.redis.Decr(ctx, w.Gauges[0]).Err()
}

func (w *worker) hold(ctx context.Context) error {
	for {
		if _, err := w.limiter.Take(ctx, alice); err != nil {
			break
		}
	}
	say(held)
	<-ctx.Done()
	return nil
}

// A process is a running worker.
type process struct {
	cmd                        *exec.Cmd
	stdin                      io.Closer
	read                       sync.WaitGroup
	passed, refused, held, bad atomic.Int64
}

func startProcess(t *testing.T, j job) *process {
	t.Helper()
	if j.Lease == 0 {
		j.Lease = standard.lease
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	p.cmd.Stderr = os.Stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.read.Go(func() { p.count(stdout) })
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

func (p *process) count(stdout io.Reader) {
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		switch lines.Text() {
		case passed:
			p.passed.Add(1)
		case no:
			p.refused.Add(1)
		case held:
			p.held.Add(1)
		default:
			p.bad.Add(1)
		}
	}
}

// kill gives the process no chance to prepare.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.read.Wait()
	_ = p.cmd.Wait()
}

func (p *process) stop(t *testing.T) {
	t.Helper()
	_ = p.stdin.Close()
	p.read.Wait()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("a worker fails: %v", err)
	}
	if n := p.bad.Load(); n > 0 {
		t.Errorf("%d calls over the limit", n)
	}
}
