// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestStageContext holds that a stage's context ends as one of package context does, whether
// or not somebody waits for its end.
func TestStageContext(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(c *stageContext, cancelParent func())
		want error
	}{
		"time":           {func(*stageContext, func()) { time.Sleep(time.Second) }, context.DeadlineExceeded},
		"stage":          {func(c *stageContext, _ func()) { c.end() }, context.Canceled},
		"parent":         {func(_ *stageContext, cancel func()) { cancel() }, context.Canceled},
		"stage and time": {func(c *stageContext, _ func()) { c.end(); time.Sleep(time.Hour) }, context.Canceled},
	} {
		for _, waited := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					parent, cancel := context.WithCancel(t.Context())
					defer cancel()
					c := withTimeout(parent, time.Second)
					defer c.end()
					if waited {
						select {
						case <-c.Done():
							t.Fatal("it has ended at once")
						default:
						}
					}
					if err := c.Err(); err != nil {
						t.Fatalf("at once: %v", err)
					}
					tt.end(c, cancel)
					synctest.Wait()
					if err := c.Err(); !errors.Is(err, tt.want) {
						t.Errorf("got %v, want %v", err, tt.want)
					}
					select {
					case <-c.Done():
					default:
						t.Error("Done is open")
					}
				})
			})
		}
	}
}

// TestStageContextParent holds that the deadline of who calls counts if it is earlier.
func TestStageContextParent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		c := withTimeout(parent, time.Hour)
		defer c.end()
		began := time.Now()
		<-c.Done()
		if took := time.Since(began); took != time.Millisecond || !errors.Is(c.Err(), context.DeadlineExceeded) {
			t.Errorf("ended after %v with %v", took, c.Err())
		}
	})
}
