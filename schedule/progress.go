// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"encoding/json"
	"time"
)

// between is the least time between two writes of a run's progress.
const between = time.Second

// follow stores the progress of a run until stop is called. Tell takes the notifications of the server.
func (s *Scheduler) follow(ctx context.Context, r *Run) (tell func(params json.RawMessage), stop func()) {
	latest := make(chan Progress, 1)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case p := <-latest:
				now := *r
				now.Progress = &p
				if err := s.store.Progress(ctx, &now); err != nil && ctx.Err() == nil {
					s.log.Warn("the progress of a run could not be stored", "run", r.ID, "err", err)
				}
				pause(ctx, between, nil)
			case <-ctx.Done():
				return
			}
		}
	}()
	tell = func(params json.RawMessage) {
		var said struct{ Progress, Total float64 }
		if json.Unmarshal(params, &said) != nil {
			return
		}
		select {
		case <-latest: // it is older
		default:
		}
		latest <- Progress{said.Progress, said.Total} // only this function writes, one call at a time
	}
	return tell, func() { cancel(); <-done }
}
