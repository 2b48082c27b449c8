// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// A job is one line, and later its verdict.
type job struct {
	line []byte
	err  error         // why there is no line to judge
	done chan struct{} // closed when verdict is set

	verdict judged
}

// checkLines judges the calls on standard input, one per line, and prints the verdicts in the same
// order. It judges a bounded number of calls in parallel.
func (a *app) checkLines(ctx context.Context, j judger) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := runtime.GOMAXPROCS(0)
	order, work := make(chan *job, 4*workers), make(chan *job, 4*workers)
	var judging sync.WaitGroup
	for range workers {
		judging.Go(func() {
			for job := range work {
				job.run(ctx, j)
			}
		})
	}
	read := make(chan error, 1)
	go func() { // left behind if writing fails: a read cannot be interrupted
		err := readJobs(ctx, a.stdin, order, work)
		close(work)
		close(order)
		read <- err
	}()
	tally, err := writeVerdicts(ctx, a.stdout, order)
	if err != nil {
		cancel()
		return fmt.Errorf("writing the verdicts: %w", err)
	}
	err = <-read
	judging.Wait()
	cancel()
	if err != nil {
		return fmt.Errorf("reading the calls: %w", err)
	}
	return tally.outcome()
}

// readJobs passes every line to the workers, and to the writer in order.
func readJobs(ctx context.Context, in io.Reader, order, work chan<- *job) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r, maxCall)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return err
		}
		next := &job{line: line, err: err, done: make(chan struct{})}
		for _, to := range []chan<- *job{order, work} {
			select {
			case to <- next:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

func (job *job) run(ctx context.Context, j judger) {
	defer close(job.done)
	if job.err != nil {
		job.verdict = judged{result: failed(job.err), code: exitNoGo}
		return
	}
	job.verdict = j.judge(ctx, job.line)
	job.line = nil
}

// writeVerdicts writes the verdicts in order. It flushes its buffer whenever no further verdict is ready.
func writeVerdicts(ctx context.Context, w io.Writer, order <-chan *job) (tally, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	var t tally
	for {
		next, err := await(ctx, order, out)
		if err != nil || next == nil {
			return t, errors.Join(err, out.Flush())
		}
		if _, err := await(ctx, next.done, out); err != nil {
			return t, err
		}
		if err := writeJSON(out, next.verdict.result); err != nil {
			return t, err
		}
		t.add(next.verdict)
	}
}

// await receives from ch, and flushes out before it waits. It returns the zero T when ch is closed.
func await[T any](ctx context.Context, ch <-chan T, out *bufio.Writer) (T, error) {
	select {
	case v := <-ch:
		return v, nil
	default:
	}
	var v T
	if err := out.Flush(); err != nil {
		return v, err
	}
	select {
	case v = <-ch:
		return v, nil
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// A tally counts verdicts.
type tally struct {
	calls, notJudged int
	worst            int   // exit code
	first            error // of the calls that were not judged
	line             int   // its line, from 1
}

func (t *tally) add(j judged) {
	t.calls++
	t.worst = max(t.worst, j.code)
	if j.err == nil {
		return
	}
	t.notJudged++
	if t.first == nil {
		t.first, t.line = j.err, t.calls
	}
}

// outcome returns the error for the command.
func (t *tally) outcome() error {
	switch {
	case t.calls == 0:
		return errors.New("no call on standard input")
	case t.notJudged > 0:
		return fmt.Errorf("%d of %d calls were not judged; the first is line %d: %w", t.notJudged, t.calls, t.line, t.first)
	}
	return exitWith(t.worst)
}

var errLongLine = fmt.Errorf("the call is larger than %d bytes", maxCall)

// readLine returns the next line without its line feed, in memory of its own. It skips a line longer than
// limit and returns errLongLine.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if size <= limit+1 { // with the line feed
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (size == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if size > limit+1 || len(line) > limit {
			return nil, errLongLine
		}
		return line, nil
	}
}
