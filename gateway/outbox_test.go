// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestOutbox holds that what is not taken is bounded: answers wait for room, notifications are
// dropped.
func TestOutbox(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		big := make([]byte, maxWaitingBytes-10)
		if !o.put(t.Context(), big) {
			t.Fatal("there is no room for the first line")
		}
		if added, _ := o.add(make([]byte, 20)); added {
			t.Error("there is room for more than the limit")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o.put(ctx, make([]byte, 20)) {
			t.Error("an answer found room where there is none")
		}
		waited := make(chan bool, 1)
		go func() { waited <- o.put(t.Context(), make([]byte, 20)) }()
		synctest.Wait()
		read, out := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- o.run(out) }()
		go func() { _, _ = io.Copy(io.Discard, read) }()
		if !<-waited {
			t.Error("an answer was dropped")
		}
		for range maxWaiting + 10 {
			o.offer([]byte("x"))
		}
		o.close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if o.put(t.Context(), nil) {
			t.Error("a line is taken after the end")
		}
		read.Close()
	})
}
