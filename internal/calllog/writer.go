// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"time"
)

// A writer is the only goroutine that writes. It may wait for the disk at any point, so nobody waits for it without a
// time limit.
type writer struct {
	state
	options Options
	name    string
	open    opener
	hash    hash.Hash
	head    *headFile

	batch   []byte
	entries []*entry
	torn    bool       // a part of a batch is behind the end of the file
	broken  error      // why the log cannot write until it is opened again
	dirty   bool       // some lines are not synced
	syncing chan error // of the sync under way, or nil
	toSync  link       // the last record of the sync under way
	durable link       // the last record that is on the disk
}

const (
	maxBatch   = 1 << 20 // a batch is closed at this size
	maxEntries = 256     // records in a batch
	every      = time.Second
)

// run writes until the log is closed and no record waits.
func (w *writer) run(l *Log) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case e := <-l.queue:
			w.take(l, e)
		case <-tick.C:
			w.tick(l)
		case err := <-w.syncing:
			w.synced(err)
		case <-l.closing.Done():
			return w.end(l)
		}
	}
}

// take writes an entry and all entries behind it.
func (w *writer) take(l *Log, first *entry) {
	w.entries, w.batch = w.entries[:0], w.batch[:0]
	if err := w.ready(); err != nil {
		w.refuse(l, first, err)
		return
	}
	last, told := w.tellLost(l)
	for e, more := first, true; more; {
		if e.fate.CompareAndSwap(waiting, taken) {
			w.batch, last = appendLine(w.batch, e.body.Bytes(), last, w.hash)
			w.entries = append(w.entries, e)
		}
		more = false
		if len(w.batch) < maxBatch && len(w.entries) < maxEntries {
			select {
			case e = <-l.queue:
				more = true
			default:
			}
		}
	}
	err := w.flush(last)
	if err != nil {
		l.lost.Add(told + int64(len(w.entries)))
		err = fmt.Errorf("calllog: writing the log: %w", err)
	} else {
		l.head.Store(&last)
	}
	for _, e := range w.entries {
		e.done <- err
	}
	clear(w.entries)
}

// refuse answers an entry that the writer cannot write.
func (w *writer) refuse(l *Log, e *entry, err error) {
	if e.fate.CompareAndSwap(waiting, taken) {
		l.lost.Add(1)
		e.done <- err
	}
}

// tellLost puts a record at the head of the batch with the number of records lost before it.
func (w *writer) tellLost(l *Log) (last link, told int64) {
	told = l.lost.Swap(0)
	if told == 0 {
		return w.last, 0
	}
	var body bytes.Buffer
	if err := (Record{Kind: KindLost, Count: told}).encode(&body); err != nil {
		l.lost.Add(told) // cannot happen: it has only a number
		return w.last, 0
	}
	w.batch, last = appendLine(w.batch, body.Bytes(), w.last, w.hash)
	return last, told
}

// flush writes the batch, or leaves the file as it was.
func (w *writer) flush(last link) error {
	if len(w.batch) == 0 {
		return nil
	}
	if err := w.mend(); err != nil {
		return err
	}
	if err := w.unchanged(); err != nil {
		w.fail(err)
		return err
	}
	_, err := w.file.WriteAt(w.batch, w.size)
	if err == nil && w.options.Sync == SyncAlways {
		if err = w.file.Sync(); err != nil {
			w.synced(err)
			return err
		}
	}
	if err != nil {
		w.torn = true // perhaps: an *os.File does not tell how much it has written
		return errors.Join(err, w.mend())
	}
	w.wrote(w.batch, last)
	if w.options.Sync == SyncAlways {
		w.durable = last
	} else {
		w.dirty = true
	}
	if cap(w.batch) > 2*maxBatch {
		w.batch = nil
	}
	return nil
}

// mend cuts off the part of a batch from before an error.
func (w *writer) mend() error {
	if !w.torn {
		return nil
	}
	if err := w.file.Truncate(w.size); err != nil {
		return err
	}
	w.torn = false
	return nil
}

// tick does, once a second, the work that must not wait for a record.
func (w *writer) tick(l *Log) {
	if w.broken == nil && w.file != nil && !w.torn {
		w.fail(w.stillOurs())
	}
	if l.lost.Load() > 0 && w.ready() == nil {
		w.batch, w.entries = w.batch[:0], w.entries[:0]
		last, told := w.tellLost(l)
		if err := w.flush(last); err != nil {
			l.lost.Add(told)
		} else {
			l.head.Store(&last)
		}
	}
	w.setHead()
	if w.dirty && w.syncing == nil {
		w.dirty, w.toSync = false, w.last
		done := make(chan error, 1)
		w.syncing = done
		go func(f file) { done <- f.Sync() }(w.file)
	}
}

// synced handles the result of a sync. After a failure, nobody knows the state of the disk, and a later success
// proves nothing, because the system may have dropped the pages. Only reading the file at the next opening can tell.
func (w *writer) synced(err error) {
	w.syncing = nil
	if err == nil {
		w.durable = w.toSync
	} else {
		w.fail(fmt.Errorf("calllog: syncing the log: %w: the last records may be lost; look with 'toolvet log verify', then start again", err))
	}
}

// setHead names the last record that is on the disk. After a failure, as on a full disk, the next second tries again: an
// older head proves less, and is not wrong.
func (w *writer) setHead() {
	if err := w.head.write(w.durable); err != nil {
		w.options.Logger.Warn("the log's head is not written", "err", err)
	}
}

// fail makes a permanent error the answer to all later entries.
func (w *writer) fail(err error) {
	if err != nil && w.broken == nil {
		w.broken = err
		w.options.Logger.Error("nothing more can be recorded", "err", err)
	}
}

// end writes the waiting entries and closes the file.
func (w *writer) end(l *Log) error {
	for len(l.queue) > 0 {
		w.take(l, <-l.queue)
	}
	w.tick(l)
	err := w.settle()
	w.setHead()
	return errors.Join(err, w.close(), w.head.file.Close())
}

// settle waits until all lines are synced, and returns the reason if the log cannot write any more.
func (w *writer) settle() error {
	if w.syncing != nil {
		w.synced(<-w.syncing)
	}
	if w.dirty && w.broken == nil {
		w.dirty, w.toSync = false, w.last
		w.synced(w.file.Sync())
	}
	return w.broken
}

func (w *writer) close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}
