// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/machine/memory"
)

// IdleTime is how long the resident judge waits for a request before it ends.
const IdleTime = 30 * time.Minute

// maxAtOnce bounds the requests that are judged at a time; others wait.
const maxAtOnce = 32

// Once judges one request. It returns at the end of the request's time, or of ctx, although the judgement may go on: the hook has denied by then.
func (j *Judge) Once(ctx context.Context, in io.Reader, out io.Writer) error {
	r, err := link.ReadRequest(in)
	if err != nil {
		return err
	}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	answered := make(chan hook.Reply, 1)
	go func() { answered <- j.Answer(ctx, r) }()
	select {
	case reply := <-answered:
		defer j.Close(context.WithoutCancel(ctx))
		return link.WriteReply(out, reply)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ErrServed reports that another judge serves the address.
var ErrServed = errors.New("another judge serves this program's hooks")

// Serve is the resident judge at an address. It ends when ctx is done, when [link.End] asks it to, or when it has answered nobody for the
// idle time: a judge whose variables are not the user's any more makes room for another.
func (j *Judge) Serve(ctx context.Context, address string, idle time.Duration) error {
	lock := flock.New(address + ".lock")
	held, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !held {
		return ErrServed
	}
	defer lock.Unlock()
	if err := os.Remove(address); err != nil && !errors.Is(err, os.ErrNotExist) { // of a judge that was killed: we hold the lock
		return err
	}
	listener, err := net.Listen("unix", address)
	if err != nil {
		return err
	}
	if err := os.Chmod(address, 0o600); err != nil {
		listener.Close()
		return err
	}
	memory.Manage(ctx)
	j.forget(time.Now())
	var busy atomic.Int64
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	timer := time.AfterFunc(idle, stop)
	context.AfterFunc(ctx, func() { listener.Close() })
	go endWithout(ctx, address, 5*time.Second, stop)
	room := make(chan struct{}, maxAtOnce)
	for {
		conn, err := listener.Accept()
		if err != nil {
			break
		}
		busy.Add(1)
		go func() {
			defer busy.Add(-1)
			defer conn.Close()
			room <- struct{}{}
			defer func() { <-room }()
			j.serve(ctx, conn, func() { timer.Reset(idle) }, stop)
		}()
	}
	for end := time.Now().Add(link.Grace); busy.Load() > 0 && time.Now().Before(end); { // those who have asked get their answer
		time.Sleep(10 * time.Millisecond)
	}
	j.Close(context.WithoutCancel(ctx))
	return nil
}

// endWithout stops the judge when its socket is gone, or another judge's stands there: nobody can ask it any more.
func endWithout(ctx context.Context, address string, every time.Duration, stop func()) {
	own, err := os.Lstat(address)
	if err != nil {
		stop()
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if now, err := os.Lstat(address); err != nil || !os.SameFile(own, now) {
				stop()
				return
			}
		}
	}
}

// serve answers one request. It calls used for one that this judge can answer, and end for one to end.
func (j *Judge) serve(ctx context.Context, conn net.Conn, used, end func()) {
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // a connection of a Unix socket takes one
	r, err := link.ReadRequest(conn)
	if errors.Is(err, link.ErrEnd) {
		end()
		return
	}
	if err != nil {
		j.log.Warn("a hook's request could not be read", "err", err)
		return // the hook has a child judge
	}
	if !j.usable(r) {
		return // likewise
	}
	used()
	if err := link.WriteReply(conn, j.Answer(context.WithoutCancel(ctx), r)); err != nil {
		j.log.Warn("a hook did not take its answer", "err", err)
	}
}

// usable reports whether this process can use a request's policy as the hook's own could: the variables that the policy refers to have one
// value for both.
func (j *Judge) usable(r *link.Request) (ok bool) {
	defer func() { ok = ok || recover() != nil }() // Answer refuses then
	p, err := j.policy(r)
	if err != nil {
		return false
	}
	for mark, has := range p.environ {
		if r.Has(mark) != has {
			return false
		}
	}
	return true
}

// Close ends the logs.
func (j *Judge) Close(ctx context.Context) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range j.policies {
		j.records = append(j.records, p.record)
	}
	for _, r := range j.records {
		r.Close(ctx)
	}
	j.records = nil
	j.policies = map[string]*policyFile{}
}
