// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package budget bounds the memory of a process in bytes. Messages take loans from a [Budget] before
// they take memory. A loan that the budget cannot give is refused after a short wait, so a client or
// a server that sends too much is told so, and the others go on.
package budget

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// Bounds of a budget, as parts of its size.
const (
	// Small is the largest loan, in bytes, that may use the reserve of a budget. So honest messages,
	// which are small, pass while large ones fill the budget.
	Small = 256 << 10
	// reserve is the part of the size that is kept for small loans, in addition to the size. One owner
	// may have half of it, beside its share of the size.
	reserve = 4
)

// Held is the budget of this process for messages that it holds: read, parsed, or not yet taken by
// their reader. Memory belongs to the process, so this budget does, too.
var Held = New(192 << 20)

// Work is the budget of this process for messages that it reads closely at the moment. A review takes
// several times the size of its message for a while, so few large messages are reviewed at once.
var Work = New(64 << 20)

// Lists is the budget of this process for servers' lists of tools, which each session keeps.
var Lists = New(96 << 20)

// ErrFull is the error of a loan that a budget does not give.
var ErrFull = errors.New("toolvet holds too many large messages at once: make them smaller, or try again in a moment")

// A Budget gives loans of bytes. Three quarters of it are the most for one owner. It is safe for
// concurrent use.
type Budget struct {
	size, share int

	mu    sync.Mutex
	taken int
	by    map[string]int
	freed chan struct{} // closed when bytes come back; nil: nobody waits
	bound int           // loans that the garbage collector returns

	collecting sync.Mutex
	collected  time.Time
}

// New makes a budget of a size in bytes.
func New(size int) *Budget {
	return &Budget{size: size, share: size / 4 * 3, by: map[string]int{}}
}

// Brief is the usual wait for a loan.
const Brief = time.Second

// A Loan is a number of bytes of a budget, until Return is called. A nil Loan belongs to no budget: it
// grows as it likes.
type Loan struct {
	b     *Budget
	owner string
	n     int // B.mu must be locked
}

// Open returns a loan of no bytes.
func (b *Budget) Open(owner string) *Loan { return &Loan{b: b, owner: owner} }

// Take lends n bytes to an owner. If they are not free, it waits for them: for so long, or until ctx is
// done. Then it returns [ErrFull]. A loan beyond the share of an owner counts as the whole share.
func (b *Budget) Take(ctx context.Context, owner string, n int, wait time.Duration) (*Loan, error) {
	l := b.Open(owner)
	return l, l.Grow(ctx, n, wait)
}

// Grow makes a loan one of n bytes altogether, as Take does. If it fails, the loan stays as it is.
func (l *Loan) Grow(ctx context.Context, n int, wait time.Duration) error {
	if l == nil || l.grow(n) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		freed := l.grow(n)
		if freed == nil {
			return nil
		}
		l.b.collect()
		select {
		case <-freed:
		case <-time.After(collectEvery):
		case <-ctx.Done():
			if l.grow(n) == nil {
				return nil
			}
			return ErrFull
		}
	}
}

// grow returns nil, or a channel that is closed when bytes come back.
func (l *Loan) grow(n int) <-chan struct{} {
	b := l.b
	b.mu.Lock()
	defer b.mu.Unlock()
	more := min(n, b.share) - l.n
	if more <= 0 {
		return nil
	}
	size, share := b.size, b.share
	if n <= Small {
		size += b.size / reserve
		share += b.size / reserve / 2
	}
	if b.taken+more > size || b.by[l.owner]+more > share {
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		return b.freed
	}
	l.lend(more)
	return nil
}

// lend adds to the loan, or takes away from it. The budget must be locked.
func (l *Loan) lend(more int) {
	l.n += more
	l.b.taken += more
	if l.b.by[l.owner] += more; l.b.by[l.owner] == 0 {
		delete(l.b.by, l.owner)
	}
	if more < 0 && l.b.freed != nil {
		close(l.b.freed)
		l.b.freed = nil
	}
}

// Shrink makes a loan one of at most n bytes.
func (l *Loan) Shrink(n int) {
	if l == nil {
		return
	}
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	if less := l.n - n; less > 0 {
		l.lend(-less)
	}
}

// Return gives the bytes back. It may be called more than once.
func (l *Loan) Return() { l.Shrink(0) }

// Until returns a loan when the garbage collector frees what p points to. It is for memory that passes
// through many hands. A budget that is full asks for a collection.
func Until[T any](l *Loan, p *T) {
	if l == nil {
		return
	}
	l.b.count(1)
	runtime.AddCleanup(p, func(l *Loan) {
		l.b.count(-1)
		l.Return()
	}, l)
}

func (b *Budget) count(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bound += n
}

// collectEvery is the least time between two collections for a budget.
const collectEvery = 100 * time.Millisecond

// collect runs the garbage collector, if that could return loans.
func (b *Budget) collect() {
	b.mu.Lock()
	bound := b.bound
	b.mu.Unlock()
	if bound == 0 || !b.collecting.TryLock() {
		return
	}
	defer b.collecting.Unlock()
	if time.Since(b.collected) > collectEvery {
		runtime.GC()
		b.collected = time.Now()
	}
}

// Taken returns the bytes that are lent at the moment.
func (b *Budget) Taken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}
