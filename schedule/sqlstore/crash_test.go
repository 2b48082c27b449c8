// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

const (
	workerStore = "TOOLVET_CRASH_STORE" // makes the test binary a worker of this store
	workerLog   = "TOOLVET_CRASH_LOG"
	fullSize    = "TOOLVET_CRASH_FULL" // 1: the full size
	crashLease  = 2 * time.Second
)

func TestMain(m *testing.M) {
	if place := os.Getenv(workerStore); place != "" {
		if err := crashWorker(place, os.Getenv(workerLog)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func crashWorker(place, log string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	store, err := Open(ctx, place)
	if err != nil {
		return err
	}
	defer store.Close()
	file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	cfg := schedule.Config{Store: store, Caller: recorder{file}, Workers: 1, Poll: 50 * time.Millisecond}
	tuning, err := configure(os.Getenv(workerKind), &cfg)
	if err != nil {
		return err
	}
	s, err := schedule.New(cfg)
	if err != nil {
		return err
	}
	tune(s, tuning)
	return s.Serve(ctx)
}

// A recorder is a caller that writes down the beginning of each call.
type recorder struct{ file *os.File }

func (recorder) Validate(_ context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (toolvet.Validation, error) {
	return protocol.NewResult(tool, toolvet.Verdict{Go: true}).Validation, nil
}

func (r recorder) Call(_ context.Context, _ string, arguments json.RawMessage, _ ...upstream.CallOption) (*upstream.Outcome, error) {
	if _, err := fmt.Fprintf(r.file, "%s\n", arguments); err != nil { // one write: lines of two workers do not mix
		return nil, err
	}
	time.Sleep(20 * time.Millisecond)
	return &upstream.Outcome{Raw: json.RawMessage(`{"content":[]}`), Ran: true, Judged: toolvet.Verdict{Go: true}, Reviewed: toolvet.Verdict{Go: true}}, nil
}

func (recorder) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return call.NewCatalog(nil), nil
}

// TestCrash kills workers at random moments, and cuts one off from its database for longer than its lease. No run is
// lost, and none is enqueued twice. At most one run is executed twice for each killed worker, because each does one
// at a time.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	places(t, func(t *testing.T, place string) {
		jobs, kills := 200, 4
		if os.Getenv(fullSize) != "" {
			jobs, kills = 1000, 20
		}
		c := &crash{t: t, log: filepath.Join(t.TempDir(), "calls")}
		store := open(t, place)
		due := time.Now().Truncate(time.Millisecond)
		for i := range jobs {
			j := newJob(fmt.Sprint("job ", i), due)
			j.Arguments = []byte(fmt.Sprintf(`{"n":%d}`, i))
			j.Schedule, j.Canonical = due.Format(time.RFC3339Nano), due.Format(time.RFC3339Nano)
			j.Next, j.CatchUp = due, "last"
			create(t, store, j)
		}
		ways := []string{place, place} // on which workers reach the store
		var net *network
		if strings.HasPrefix(place, "postgres") {
			net = newNetwork(t, "127.0.0.1:5432")
			ways = append(ways, strings.Replace(place, "127.0.0.1:5432", net.addr, 1))
		}
		var workers []*exec.Cmd
		for _, way := range ways {
			workers = append(workers, c.start(way))
		}
		cut := 0 // workers that may have been in the middle of a run
		for cut < kills {
			time.Sleep(150*time.Millisecond + rand.N(300*time.Millisecond))
			if net != nil && cut == kills/2 {
				net.partition(crashLease + crashLease/2)
			} else {
				i := rand.N(len(workers))
				c.signal(workers[i], syscall.SIGKILL)
				_ = workers[i].Wait() // it was killed
				workers[i] = c.start(ways[i])
			}
			cut++
		}
		c.await(store, jobs)
		for _, w := range workers {
			c.signal(w, syscall.SIGTERM)
			_ = w.Wait() // it may not have got as far as to hear the signal
		}
		c.judge(store, jobs, cut)
	})
}

type crash struct {
	t   *testing.T
	log string
}

func (c *crash) start(place string) *exec.Cmd {
	c.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerStore+"="+place, workerLog+"="+c.log)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may be gone
	return cmd
}

func (c *crash) signal(cmd *exec.Cmd, s syscall.Signal) {
	c.t.Helper()
	if err := cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Fatal(err)
	}
}

// await waits until all runs have ended.
func (c *crash) await(store *store, jobs int) {
	c.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var ended int
		if err := store.read.QueryRow("SELECT count(*) FROM schedule_runs WHERE state = 'succeeded'").Scan(&ended); err != nil {
			c.t.Fatal(err)
		}
		if ended >= jobs {
			return
		}
	}
	c.t.Fatal("runs are lost: not all ended in time")
}

func (c *crash) judge(store *store, jobs, cut int) {
	c.t.Helper()
	var runs, started int
	if err := store.read.QueryRow("SELECT count(*), sum(attempt) FROM schedule_runs").Scan(&runs, &started); err != nil {
		c.t.Fatal(err)
	}
	text, err := os.ReadFile(c.log)
	if err != nil {
		c.t.Fatal(err)
	}
	calls := map[string]int{}
	twice := 0
	for line := range strings.Lines(string(text)) {
		if calls[line]++; calls[line] > 1 {
			twice++
		}
	}
	c.t.Logf("%d jobs, %d workers cut off: %d runs, %d attempts, %d executed, %d of them again", jobs, cut, runs, started, len(calls), twice)
	if runs != jobs {
		c.t.Errorf("%d jobs have %d runs", jobs, runs)
	}
	if len(calls) != jobs {
		c.t.Errorf("%d of %d jobs were executed", len(calls), jobs)
	}
	if twice > cut {
		c.t.Errorf("%d runs were executed again, and %d workers were cut off", twice, cut)
	}
}
