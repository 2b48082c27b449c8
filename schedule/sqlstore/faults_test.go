// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// A network is a connection to a database that can fall silent: the connection stays, and nothing comes through.
type network struct {
	t    *testing.T
	addr string
	open sync.RWMutex // is locked while it is silent
	all  sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newNetwork(t *testing.T, to string) *network {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{t: t, addr: listener.Addr().String()}
	n.all.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return // closed
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			n.mu.Lock()
			n.conns = append(n.conns, in, out)
			n.mu.Unlock()
			n.all.Go(func() { n.pass(in, out) })
			n.all.Go(func() { n.pass(out, in) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		n.mu.Lock()
		for _, c := range n.conns {
			c.Close()
		}
		n.mu.Unlock()
		n.all.Wait()
	})
	return n
}

// pass copies data from one side to the other while the network is not silent.
func (n *network) pass(from, to net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		k, err := from.Read(buffer)
		if err != nil {
			return
		}
		n.open.RLock()
		_, err = to.Write(buffer[:k])
		n.open.RUnlock()
		if err != nil {
			return
		}
	}
}

// partition silences the network for a time.
func (n *network) partition(d time.Duration) {
	n.open.Lock()
	defer n.open.Unlock()
	time.Sleep(d)
}

// TestSilentDatabase: an operation on a database that is cut off fails in time, and works again later.
func TestSilentDatabase(t *testing.T) {
	t.Parallel()
	place := postgresPlace(t)
	way := newNetwork(t, "127.0.0.1:5432")
	s := open(t, strings.Replace(place, "127.0.0.1:5432", way.addr, 1))
	j := newJob("job", now)
	create(t, s, j)
	way.open.Lock()
	s.limit = 100 * time.Millisecond
	for name, do := range map[string]func() error{
		"reading": func() error { _, err := s.Job(context.Background(), j.ID); return err },
		"writing": func() error {
			_, err := s.UpdateJob(context.Background(), j.ID, func(j *schedule.Job) error { j.Description = "changed"; return nil })
			return err
		},
	} {
		if err := do(); err == nil {
			t.Errorf("%s succeeds without a database", name)
		}
	}
	way.open.Unlock()
	s.limit = 0
	if _, err := s.UpdateJob(t.Context(), j.ID, func(j *schedule.Job) error { j.Description = "later"; return nil }); err != nil {
		t.Error(err)
	}
	if got, err := s.Job(t.Context(), j.ID); err != nil || got.Description != "later" {
		t.Errorf("the job is %+v, %v", got, err)
	}
}

// A writer passes on everything written to it.
type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// A counter is a caller that counts calls.
type counter struct {
	mu    sync.Mutex
	calls map[string]int
}

func (c *counter) Validate(_ context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (toolvet.Validation, error) {
	return protocol.NewResult(tool, toolvet.Verdict{Go: true}).Validation, nil
}

func (c *counter) Call(_ context.Context, _ string, arguments json.RawMessage, _ ...upstream.CallOption) (*upstream.Outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[string(arguments)]++
	text := fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, strings.Repeat("x", 20_000)) // fills the disk
	return &upstream.Outcome{Raw: json.RawMessage(text), Ran: true, Judged: toolvet.Verdict{Go: true}, Reviewed: toolvet.Verdict{Go: true}}, nil
}

func (c *counter) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return call.NewCatalog(nil), nil
}

// TestFullDisk: runs wait while the disk is full, and none is lost or made twice.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "schedule.db"))
	due := time.Now().Truncate(time.Millisecond)
	const jobs = 40
	for i := range jobs {
		j := newJob(fmt.Sprint("job ", i), due)
		j.Arguments, j.CatchUp = []byte(fmt.Sprintf(`{"n":%d}`, i)), "last"
		j.Schedule, j.Canonical = due.Format(time.RFC3339Nano), due.Format(time.RFC3339Nano)
		create(t, s, j)
	}
	var pages int
	if err := s.read.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	room := func(pages int) {
		t.Helper()
		if _, err := s.write.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	room(pages + 80) // 320 KiB, of 800 that are needed: enough for all runs to be fired, which one transaction does
	c := &counter{calls: map[string]int{}}
	full := make(chan struct{})
	var once sync.Once
	log := slog.New(slog.NewTextHandler(writer(func(line []byte) {
		if strings.Contains(string(line), "the end of a run could not be stored") {
			once.Do(func() { close(full) })
		}
	}), nil))
	scheduler, err := schedule.New(schedule.Config{Store: s, Caller: c, Poll: 10 * time.Millisecond, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	setLease(scheduler, 5*time.Second)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := scheduler.Serve(ctx); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-full:
	case <-ctx.Done():
		t.Fatal("the disk is never full")
	}
	room(1 << 30)
	for ended := 0; ended < jobs; time.Sleep(10 * time.Millisecond) {
		if err := s.read.QueryRow("SELECT count(*) FROM schedule_runs WHERE state = 'succeeded'").Scan(&ended); err != nil || ctx.Err() != nil {
			t.Fatalf("%d of %d runs ended: %v %v", ended, jobs, err, ctx.Err())
		}
	}
	stop()
	serving.Wait()
	for arguments, n := range c.calls {
		if n != 1 {
			t.Errorf("%s was executed %d times", arguments, n)
		}
	}
}

// TestReadOnly: a read-only store can be read, and writing to it fails.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "schedule.db")
	s := open(t, file)
	create(t, s, newJob("job", now))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(file, os.O_RDWR, 0); err == nil {
		f.Close()
		t.Skip("whoever runs the tests may write to every file")
	}
	s = open(t, file)
	if _, err := s.Job(t.Context(), "job"); err != nil {
		t.Error(err)
	}
	if err := s.CreateJob(t.Context(), newJob("other", now)); err == nil {
		t.Error("a job is made in a store that cannot be written to")
	}
}

// TestChecksFail: Checks returns nothing if it cannot store that.
func TestChecksFail(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "schedule.db"))
	j := newJob("job", now.Add(time.Hour))
	j.CheckAt = now
	create(t, s, j)
	if _, err := s.write.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE UPDATE ON schedule_jobs BEGIN SELECT RAISE(FAIL, 'full'); END"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Checks(t.Context(), "files", now, now.Add(time.Minute), 10); err == nil || len(list) != 0 {
		t.Errorf("to be validated are %d, %v", len(list), err)
	}
}
