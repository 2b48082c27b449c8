// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/heap"
	"time"
)

// A turn is the time to look at an account, and to close it if it is settled. Calls on the account do not move its
// turn, so turns cost them nothing. A turn that comes too early is moved then.
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

// settles returns the time at which the tally is settled if nothing more is spent. A tally with slots gets another
// look after a while.
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

// The number of turns that one call takes. It always exceeds the number of accounts that the call may add, so that
// their number shrinks. Without room it is so large that other callers need not wait for long.
const (
	turnsAlways = 4
	turnsFull   = 256
)

// sweep closes settled accounts to make room for new ones.
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
