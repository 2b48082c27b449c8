// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"

	"encoding/json"
)

// The kinds of workers in TestAllAtOnce. The old one knows the server s; the others have a newer policy, and know t, too. The
// clock of the wrong one is half an hour ahead.
const (
	workerKind   = "TOOLVET_CRASH_KIND"
	workerAlerts = "TOOLVET_CRASH_ALERTS"
	oldKind      = "old"
	newKind      = "new"
	wrongKind    = "wrong"
)

// configure makes a worker one of a kind.
func configure(kind string, c *schedule.Config) (jobspec.Tuning, error) {
	tuning := jobspec.Tuning{Lease: crashLease}
	if kind == "" {
		return tuning, nil
	}
	file, err := os.OpenFile(os.Getenv(workerAlerts), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return tuning, err
	}
	c.Alert = func(_ context.Context, n *schedule.Notice) error {
		_, err := fmt.Fprintf(file, "%s %s %s\n", n.Name, n.Event, n.Reason)
		return err
	}
	servers := []string{"s", "t"}
	if kind == oldKind {
		servers = servers[:1]
		c.Caller = oldCaller{c.Caller.(recorder)}
	}
	if kind == wrongKind {
		c.Now = func() time.Time { return time.Now().Add(30 * time.Minute) }
	}
	policy := map[string]string{oldKind: "old"}[kind]
	tuning.Serves = func() ([]string, string) { return servers, policy }
	return tuning, nil
}

// An oldCaller does not know the server t.
type oldCaller struct{ recorder }

func (o oldCaller) Validate(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (toolvet.Validation, error) {
	if strings.HasPrefix(tool, "t:") {
		return protocol.NewResult(tool, toolvet.Verdict{}).Validation, errors.New("the policy names no server t")
	}
	return o.recorder.Validate(ctx, tool, arguments, options...)
}

// A database is a PostgreSQL server of a test's own.
type database struct {
	t              *testing.T
	bin, dir, port string
}

// newDatabase starts one.
func newDatabase(t *testing.T) *database {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		need.Postgres.Missing(t, "there is no initdb below /usr/lib/postgresql")
	}
	dir, err := os.MkdirTemp("/tmp", "toolvet-postgres") // its user must reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	d := &database{t: t, bin: filepath.Dir(found[len(found)-1]), dir: dir, port: port}
	if os.Geteuid() == 0 {
		uid, gid := owner(t)
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
	d.run("initdb", "-D", dir+"/data", "-A", "trust", "-U", "postgres", "-E", "UTF8")
	t.Cleanup(func() { d.run("pg_ctl", "-D", dir+"/data", "-m", "immediate", "-w", "stop") })
	d.ctl("start")
	return d
}

// owner returns the user that PostgreSQL runs as, because it refuses to run as root.
func owner(t *testing.T) (uid, gid uint32) {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skip(err)
	}
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	group, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(id), uint32(group)
}

func (d *database) ctl(what ...string) {
	d.t.Helper()
	d.run("pg_ctl", append([]string{"-D", d.dir + "/data", "-l", d.dir + "/log", "-w", "-t", "60",
		"-o", "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -p " + d.port}, what...)...)
}

func (d *database) run(program string, arguments ...string) {
	d.t.Helper()
	cmd := exec.Command(filepath.Join(d.bin, program), arguments...)
	cmd.Dir = d.dir
	if os.Geteuid() == 0 {
		uid, gid := owner(d.t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	}
	said, err := os.CreateTemp("", "said") // a pipe would be held open by the server
	if err != nil {
		d.t.Fatal(err)
	}
	defer os.Remove(said.Name())
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		d.t.Errorf("%s: %v: %s", program, err, text)
	}
}

// TestAllAtOnce has all faults together: three workers with two policies, one with a wrong clock, a database that restarts, once in
// order and once by a crash, and workers that are killed, under 2,000 runs. No run is lost, none is enqueued twice, none is
// executed again except those under way at a killed worker, and there is no alert.
func TestAllAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	race.Skip(t)
	const jobs, kills = 2000, 6
	db := newDatabase(t)
	place := "postgres://postgres@127.0.0.1:" + db.port + "/postgres?sslmode=disable"
	c := &crash{t: t, log: filepath.Join(t.TempDir(), "calls")}
	alerts := filepath.Join(t.TempDir(), "alerts")
	t.Setenv(workerAlerts, alerts)
	store := open(t, place)
	due := time.Now().Truncate(time.Millisecond)
	for i := range jobs {
		at := due.Add(time.Duration(i) * 5 * time.Millisecond)
		j := newJob(fmt.Sprint("job ", i), at)
		j.Tool = []string{"s:tool", "t:tool"}[i%2]
		j.Arguments = fmt.Appendf(nil, `{"n":%d}`, i)
		j.Schedule, j.Canonical = at.Format(time.RFC3339Nano), at.Format(time.RFC3339Nano)
		j.Next, j.CatchUp, j.Health.Status = at, "last", schedule.Healthy
		create(t, store, j)
	}
	var workers []*keptWorker
	for _, kind := range []string{oldKind, newKind, wrongKind} {
		workers = append(workers, c.keep(place, kind))
	}
	under := 0 // runs that may have been under way at killed workers: one of each server
	for n := range kills {
		time.Sleep(500*time.Millisecond + rand.N(700*time.Millisecond))
		switch n {
		case 1:
			db.ctl("-m", "fast", "restart")
		case 3:
			db.ctl("-m", "immediate", "restart")
		}
		workers[n%len(workers)].kill()
		under += 2
	}
	c.await(store, jobs)
	for _, w := range workers {
		w.end()
	}
	c.judge(store, jobs, under)
	if text, err := os.ReadFile(alerts); err != nil || len(text) > 0 {
		t.Errorf("alerts, though nothing failed: %.2000s %v", text, err)
	}
	var early, ahead int // by a worker that goes by its own clock
	if err := store.read.QueryRow(`SELECT count(*) FILTER (WHERE started_at < fire_at), count(*) FILTER (WHERE greatest(started_at, ended_at, ready_at) > `+store.now+` + 60000)
		FROM schedule_runs`).Scan(&early, &ahead); err != nil || early+ahead > 0 {
		t.Errorf("%d runs began before their time, %d have times that have not come, %v", early, ahead, err)
	}
	var unwell int
	if err := store.read.QueryRow("SELECT count(*) FROM schedule_jobs WHERE health <> 'ok'").Scan(&unwell); err != nil || unwell > 0 {
		t.Errorf("%d jobs are not well, %v", unwell, err)
	}
}

// A keptWorker is a worker that is started again when it ends, as systemd does: one that is killed, and one that meets a database
// that restarts when it starts itself.
type keptWorker struct {
	stop context.CancelFunc // ends it in order
	over chan struct{}

	mu  sync.Mutex
	cmd *exec.Cmd
}

func (c *crash) keep(place, kind string) *keptWorker {
	c.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w := &keptWorker{stop: stop, over: make(chan struct{})}
	go func() {
		defer close(w.over)
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), workerStore+"="+place, workerLog+"="+c.log, workerKind+"="+kind)
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			w.mu.Lock()
			err := cmd.Start()
			w.cmd = cmd
			w.mu.Unlock()
			if err != nil {
				c.t.Error(err)
				return
			}
			_ = cmd.Wait() // its end is not news
		}
	}()
	c.t.Cleanup(w.end)
	return w
}

func (w *keptWorker) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cmd != nil {
		_ = w.cmd.Process.Kill() // it may have ended
	}
}

func (w *keptWorker) end() {
	w.stop()
	<-w.over
}
