// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/heap"
	"time"
)

// A turn is when an account is looked at, to be closed if it is settled. A call on the account
// does not move its turn, which so costs nothing; it is moved when it comes too early.
type turn struct {
	account *account
	at      int64 // on the clock mono
}

// A queue has the earliest turn first. It implements [heap.Interface].
type queue []turn

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at < q[j].at }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(turn)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = turn{}
	*q = (*q)[:last]
	return t
}

// settles is when the tally is settled if nothing more is spent. Slots are looked at again
// after a while.
func (t *tally) settles(now moment) int64 {
	at := max(t.tat, now.mono+1)
	if t.used > 0 {
		at = max(at, now.mono+t.end-now.wall)
	}
	if t.slots > 0 {
		at = max(at, now.mono+time.Minute.Microseconds())
	}
	return at
}

// How many turns one call takes: some more than it may add, so that accounts become fewer,
// and when there is no room left so many that others need not wait for long.
const (
	turnsAlways = 4
	turnsFull   = 256
)

// sweep closes accounts that are settled, and no others, to make room for new ones.
func (m *Memory) sweep(fresh int, now moment) {
	turns := turnsAlways + fresh
	if len(m.accounts)+fresh > m.max {
		turns = turnsFull + fresh
	}
	for ; turns > 0 && len(m.queue) > 0 && m.queue[0].at <= now.mono; turns-- {
		if a := m.queue[0].account; a.settled(now) {
			delete(m.accounts, a.id)
			heap.Pop(&m.queue)
		} else {
			m.queue[0].at = a.settles(now)
			heap.Fix(&m.queue, 0)
		}
	}
}
