// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"time"
)

// stretch is how many times its limit a reading may take on a busy machine.
const stretch = 10

// Within returns a context that ends once this process has worked for o.Time, or after ten times as long. Waits for a
// processor do not count, so a server gets the same report on a busy machine. The caller must call stop.
func (o Options) Within(ctx context.Context) (within context.Context, stop context.CancelFunc) {
	within, stop = context.WithTimeout(ctx, stretch*o.Time)
	began := processorTime()
	go func() {
		const often = 20 // looks within the limit
		for left := o.Time; left > 0; left = o.Time - (processorTime() - began) {
			select {
			case <-within.Done():
				return
			case <-time.After(max(left/often, time.Millisecond)):
			}
		}
		stop()
	}()
	return within, stop
}

var start = time.Now()

func since() time.Duration { return time.Since(start) }
