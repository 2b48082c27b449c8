// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// leases are the slots of running calls in this process.
type leases struct {
	mu   sync.Mutex
	held map[string][]string // keys of sorted sets, by ticket

	// renewing is held during a renewal, so that no slot is renewed after its end.
	renewing sync.RWMutex
}

func (l *leases) hold(ticket string, slots []string) {
	if len(slots) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string][]string{}
	}
	l.held[ticket] = slots
}

// drop removes the slots of a ticket, and returns them. They are not renewed any more.
func (l *leases) drop(ticket string) batch {
	l.mu.Lock()
	slots := l.held[ticket]
	delete(l.held, ticket)
	l.mu.Unlock()
	var b batch
	b.add(ticket, slots)
	if len(slots) > 0 {
		l.renewing.RLock() // waits for a renewal that includes them
		defer l.renewing.RUnlock()
	}
	return b
}

// batches returns all held slots.
func (l *leases) batches() []batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []batch
	for ticket, slots := range l.held {
		if len(list) == 0 || len(list[len(list)-1].keys) >= batchSize {
			list = append(list, batch{})
		}
		list[len(list)-1].add(ticket, slots)
	}
	return list
}

// close removes all slots, and returns them.
func (l *leases) close() []batch {
	list := l.batches()
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.held)
	return list
}

// A batch is a group of slots to renew or to free together.
type batch struct {
	keys    []string // of sorted sets
	tickets []any    // the ticket of each
}

func (b *batch) add(ticket string, slots []string) {
	for _, key := range slots {
		b.keys = append(b.keys, key)
		b.tickets = append(b.tickets, ticket)
	}
}

const batchSize = 500

// keepLeases renews leases until ctx ends.
func (s *store) keepLeases(ctx context.Context) {
	defer close(s.ended)
	tick := time.NewTicker(s.lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.renewAll()
		}
	}
}

func (s *store) renewAll() {
	s.leases.renewing.Lock()
	defer s.leases.renewing.Unlock()
	for _, b := range s.leases.batches() {
		args := append([]any{s.lease.Microseconds(), s.override()}, b.tickets...)
		if err := s.settle(s.renew, b.keys, args); err != nil {
			return // it tries again the next time
		}
	}
}

// end frees slots. If it fails, they are free when their leases end.
func (s *store) end(b batch) {
	_ = s.settle(s.release, b.keys, b.tickets)
}

// settle runs a script without the bounds of a caller's context, because its work has to be done.
func (s *store) settle(script *redis.Script, keys []string, args []any) error {
	patient, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	_, err := s.run(context.Background(), patient, script, keys, args)
	return err
}
