// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
)

// await runs what a program has given to a Gate, and waits for it until ctx is done. If it has not returned by then, it
// goes on alone and holds nobody up; forgo hears its late answer. Left counts those that go on. With too many of them, and
// with a ctx that is done, await runs nothing. It has no type parameter, because a program has its code once for each type.
func await(ctx context.Context, left *atomic.Int32, run func() any, forgo func(any)) (answer any, err error) {
	if err := ctx.Err(); err != nil {
		return answer, err
	}
	if n := left.Load(); n >= maxLeft {
		return answer, fmt.Errorf("not started, because %d earlier calls have not returned", n)
	}
	type outcome struct {
		answer any
		err    error
	}
	done := make(chan outcome, 1)
	var settled atomic.Bool // one of the two below has claimed the end
	go func() {
		o := outcome{err: errExited}
		defer func() { // even after runtime.Goexit
			if r := recover(); r != nil {
				o.err = panicked(r)
			}
			if settled.CompareAndSwap(false, true) {
				done <- o
				return
			}
			left.Add(-1)
			defer func() { _ = recover() }() // nobody waits for it any more
			if o.err == nil {
				forgo(o.answer)
			}
		}()
		o.answer = run()
		o.err = nil
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		if !settled.CompareAndSwap(false, true) {
			o := <-done
			return o.answer, o.err
		}
		left.Add(1)
		return answer, errors.Join(errLeft, ctx.Err())
	}
}

// here is await for what has promised to return at once.
func here(ctx context.Context, run func() tally) (answer tally, err error) {
	if err := ctx.Err(); err != nil {
		return answer, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	return run(), nil
}

// textless returns c without its text, whose buffer the caller uses again while await's function may still run.
func textless(c *call.Call) *call.Call {
	if c == nil || c.Raw == nil {
		return c
	}
	own := *c
	own.Raw = nil
	return &own
}

// errLeft is the error of what did not return in time.
var errLeft = errors.New("it did not return in time")
