// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// DefaultAccounts is the default size of a [Memory]. An account takes about 200 bytes.
const DefaultAccounts = 1 << 19

// Memory is a Store for one process. It is safe for concurrent use. The zero Memory has the default size.
type Memory struct {
	start  time.Time
	max    int
	keeper Keeper // nil: the counts end with the process

	mu       sync.Mutex
	accounts map[accountID]*account
	queue    queue
}

// An accountID consists of the name of the limit and the hash of the account.
type accountID struct {
	limit   string
	account Account
}

type account struct {
	tally
	id accountID
}

// NewMemory returns a Store with at most so many accounts; 0 means DefaultAccounts.
func NewMemory(accounts int) *Memory {
	m := &Memory{max: accounts}
	m.begin()
	return m
}

// begin makes a zero Memory ready.
func (m *Memory) begin() {
	m.start, m.accounts = time.Now(), map[accountID]*account{}
	if m.max <= 0 {
		m.max = DefaultAccounts
	}
}

// now returns the time for a decision. M must be locked.
func (m *Memory) now() moment {
	if m.accounts == nil {
		m.begin()
	}
	now := time.Now()
	return moment{now.Sub(m.start).Microseconds(), now.UnixMicro()}
}

func (m *Memory) account(c *Claim) *account {
	return m.accounts[accountID{c.Terms.Limit, c.Account}]
}

// Peek implements [Store].
func (m *Memory) Peek(ctx context.Context, claims []Claim) ([]Balance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	unlock, err := m.load(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return m.balances(claims, m.now()), nil
}

func (m *Memory) balances(claims []Claim, now moment) []Balance {
	balances := make([]Balance, len(claims))
	for i := range claims {
		var t tally
		if a := m.account(&claims[i]); a != nil {
			t = a.tally
		}
		t.refresh(claims[i].Terms, now)
		balances[i] = t.balance(claims[i].Terms, now)
	}
	return balances
}

// Take implements [Store].
func (m *Memory) Take(ctx context.Context, claims []Claim) (Spent, []Balance, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	unlock, err := m.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	now := m.now()
	debits := make([]debit, len(claims))
	fresh, ok := m.draw(debits, claims, now)
	if ok && fresh > 0 {
		m.sweep(fresh, now)
		fresh, ok = m.draw(debits, claims, now) // sweep may have closed an account of a claim
	}
	switch {
	case !ok:
		return nil, m.balances(claims, now), nil
	case len(m.accounts)+fresh > m.max:
		return nil, nil, ErrFull
	}
	for i := range debits {
		d := &debits[i]
		opened := d.account == nil
		if opened {
			d.account = m.open(&claims[i], now)
		}
		d.account.spend(d.terms, now)
		d.after = d.account.tally
		if opened {
			heap.Push(&m.queue, turn{d.account, d.after.settles(now)})
		}
	}
	if err := m.save(now); err != nil {
		return nil, nil, err
	}
	return &memorySpent{m, debits}, nil, nil
}

// draw finds the accounts of the claims, and counts the missing ones. It reports whether each account has a call
// left.
func (m *Memory) draw(debits []debit, claims []Claim, now moment) (fresh int, ok bool) {
	for i := range claims {
		a, terms := m.account(&claims[i]), claims[i].Terms
		debits[i].terms, debits[i].account = terms, a
		if a == nil {
			fresh++
			continue
		}
		a.refresh(terms, now)
		if !a.passes(terms, now) {
			return 0, false
		}
	}
	return fresh, true
}

func (m *Memory) open(c *Claim, now moment) *account {
	a := &account{id: accountID{c.Terms.Limit, c.Account}}
	a.refresh(c.Terms, now)
	m.accounts[a.id] = a
	return a
}

// A memorySpent holds the calls that one Take spent.
type memorySpent struct {
	memory *Memory
	debits []debit
}

// A debit is one call on an account: the tally after it.
type debit struct {
	terms   *Terms
	account *account
	after   tally
}

func (s *memorySpent) Release() {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	for i := range s.debits {
		s.debits[i].endSlot()
	}
}

// rollbackTime bounds the wait for a Keeper where there is no call any more that could wait.
const rollbackTime = time.Second

func (s *memorySpent) Rollback() {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), rollbackTime)
	defer cancel()
	unlock, err := s.memory.load(ctx)
	if err != nil { // the calls stay spent
		for i := range s.debits {
			s.debits[i].endSlot()
		}
		return
	}
	defer unlock()
	now := s.memory.now()
	for i := range s.debits {
		d := &s.debits[i]
		d.endSlot()
		d.account.restore(d.terms, &d.after, now)
	}
	_ = s.memory.save(now) // the calls stay spent
}

func (d *debit) endSlot() {
	if d.terms.Concurrency > 0 {
		d.account.slots--
	}
}
