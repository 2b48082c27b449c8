// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// ErrClosed is returned by Append and Close after Close.
var ErrClosed = errors.New("calllog: the log is closed")

// A Log is an open log. It is safe for concurrent use.
type Log struct {
	name      string
	maxWait   time.Duration
	digestKey []byte

	lost  atomic.Int64 // lost records that no record in the log reports yet
	head  atomic.Pointer[link]
	queue chan *entry

	entries sync.Pool // of free *entry values

	closing context.Context // done when Close is called
	close   context.CancelFunc
	ended   chan struct{} // closed when the writer has ended
	endErr  error         // of the writer, after ended
}

// queueLength is the number of records that may wait for the writer. There are never so many calls at a time, unless
// the disk hangs.
const queueLength = 1024

// Open opens a log and continues its chain; without a file it begins one. It returns an error for faulty options and
// for a faulty file: the file is not a regular file, others may write to it, or its last line belongs to another log
// or key. A torn last line, after a crash, becomes a record of kind recovered.
//
// The caller must call [Log.Close].
func Open(o Options) (*Log, error) { return openWith(o, openFile) }

func openWith(o Options, open opener) (*Log, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	digests, err := digestKey(o.Key)
	if err != nil {
		return nil, fmt.Errorf("calllog: making the key of digests: %w", err)
	}
	name, lock, err := claim(o.File)
	if err != nil {
		return nil, err
	}
	h := newHash(o.Key)
	state, err := resume(name, open, h)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	head, err := openHead(name, open, newHash(o.Key))
	if err != nil {
		return nil, errors.Join(err, state.file.Close(), lock.Close())
	}
	if err := head.begin(state.last, state.named); err != nil {
		return nil, errors.Join(err, head.file.Close(), state.file.Close(), lock.Close())
	}
	l := &Log{name: name, maxWait: o.MaxWait, digestKey: digests, queue: make(chan *entry, queueLength), ended: make(chan struct{})}
	l.entries.New = func() any { return &entry{done: make(chan error, 1)} }
	l.head.Store(&state.last)
	l.closing, l.close = context.WithCancel(context.Background())
	go l.write(&writer{state: state, options: o, name: name, open: open, hash: h, head: head, durable: state.last}, lock)
	return l, nil
}

// write runs the writer until it ends.
func (l *Log) write(w *writer, lock *flock.Flock) {
	defer close(l.ended)
	l.endErr = errors.Join(w.run(l), lock.Close())
}

// File returns the path of the file in use: the file from the options, or one beside it if another process writes to
// that.
func (l *Log) File() string { return l.name }

// Head returns the number and the hash of the last record. Kept elsewhere, they prove later that the log up to there
// is complete (see VerifyOptions.Expect).
func (l *Log) Head() (seq uint64, hash string) {
	head := l.head.Load()
	return head.seq, head.hash
}

// Append writes a record. It returns after the record is written, and with SyncAlways after it is on the disk. It
// waits until ctx is done or for Options.MaxWait, whichever is shorter.
//
// With an error, the record is not in the log, but if the disk hangs just then, it may still get there. A caller that
// must record an action must not act then. The log records the number of lost records as soon as it can. Append cuts
// or omits texts longer than 512 bytes, lists longer than 100 and arguments longer than MaxArguments, and marks the
// record. If the record is still larger than 4 MiB, that is an error.
func (l *Log) Append(ctx context.Context, r Record) error {
	timer := time.NewTimer(l.maxWait)
	defer timer.Stop()
	e := l.entries.Get().(*entry)
	e.body.Reset()
	e.fate.Store(waiting)
	if err := r.encode(&e.body); err != nil {
		l.lost.Add(1)
		return err
	}
	if err := l.enqueue(ctx, timer, e); err != nil {
		l.lost.Add(1)
		return err
	}
	select {
	case err := <-e.done:
		l.release(e)
		return err
	case <-l.ended:
		return e.atEnd()
	case <-ctx.Done():
		return l.giveUp(e, ctx.Err())
	case <-timer.C:
		return l.giveUp(e, errSlow)
	}
}

func (l *Log) enqueue(ctx context.Context, timer *time.Timer, e *entry) error {
	switch {
	case l.closing.Err() != nil:
		return ErrClosed
	case ctx.Err() != nil:
		return late(ctx.Err())
	}
	select {
	case l.queue <- e:
		return nil
	case <-l.closing.Done():
		return ErrClosed
	case <-ctx.Done():
		return late(ctx.Err())
	case <-timer.C:
		return late(errSlow)
	}
}

// release puts an entry back for another use, unless it holds much memory.
func (l *Log) release(e *entry) {
	if e.body.Cap() <= 64<<10 {
		l.entries.Put(e)
	}
}

// giveUp takes an entry back if the writer does not have it yet.
func (l *Log) giveUp(e *entry, why error) error {
	if !e.fate.CompareAndSwap(waiting, givenUp) {
		return fmt.Errorf("%w: it may be written later", late(why))
	}
	l.lost.Add(1)
	return late(why)
}

var errSlow = errors.New("writing takes too long")

func late(why error) error {
	return fmt.Errorf("calllog: the record could not be written in time: %w", why)
}

// Close writes the waiting records, syncs and closes the file. It returns at the latest when ctx is done, and
// abandons whatever hangs then.
func (l *Log) Close(ctx context.Context) error {
	if l.closing.Err() != nil {
		return ErrClosed
	}
	l.close()
	select {
	case <-l.ended:
		return l.endErr
	case <-ctx.Done():
		return fmt.Errorf("calllog: the log could not be closed in time: %w", ctx.Err())
	}
}

// An entry is a record on its way to the writer. Its fate is decided once: either the writer takes it, or the caller
// of Append gives it up.
type entry struct {
	body bytes.Buffer
	fate atomic.Int32
	done chan error // the writer's answer; a send does not block
}

const (
	waiting = iota
	taken
	givenUp
)

// atEnd returns the answer after the end of the writer: its own, or that the entry came too late.
func (e *entry) atEnd() error {
	select {
	case err := <-e.done:
		return err
	default:
		return ErrClosed
	}
}
