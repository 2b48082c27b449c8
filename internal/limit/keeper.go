// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/heap"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// A Keeper keeps the counts of a Memory beyond its process, for several processes that count together.
type Keeper interface {
	// Lock waits until no other process decides, at most until ctx is done, and returns the counts that were kept last; nil: none. The caller
	// must call unlock unless there is an error.
	Lock(ctx context.Context) (counts []byte, unlock func(), err error)
	// Keep keeps counts. The caller holds the lock.
	Keep(counts []byte) error
}

// NewKept returns a Memory of the default size whose rates and quotas a Keeper keeps; nil keeps nothing. Slots are counted in each process
// alone: the calls of a process that is killed have no end that anybody tells. An error of the Keeper refuses a call.
func NewKept(k Keeper) *Memory {
	m := NewMemory(0)
	m.keeper = k
	return m
}

// A kept tally is one that a Keeper keeps. Times are those of the wall, in microseconds.
type kept struct {
	Limit   string `json:"limit"`
	Account string `json:"account"`
	Tat     int64  `json:"tat"`
	Given   int64  `json:"given"`
	End     int64  `json:"end"`
	Used    int    `json:"used"`
}

// load reads the kept counts, and holds the Keeper's lock until unlock is called. M must be locked. Without a Keeper it does nothing.
func (m *Memory) load(ctx context.Context) (unlock func(), err error) {
	if m.keeper == nil {
		return func() {}, nil
	}
	raw, unlock, err := m.keeper.Lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("limits cannot be counted: %w", err)
	}
	if raw == nil {
		return unlock, nil
	}
	if err := m.decode(raw); err != nil {
		unlock()
		return nil, fmt.Errorf("limits cannot be counted, because the kept counts cannot be read (remove them to begin anew): %w", err)
	}
	return unlock, nil
}

func (m *Memory) decode(raw []byte) error {
	var list []kept
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	now := m.now()
	for _, k := range list {
		name, err := hex.DecodeString(k.Account)
		if err != nil || len(name) != len(Account{}) {
			return fmt.Errorf("%q names no account", k.Limit)
		}
		id := accountID{k.Limit, Account(name)}
		a := m.accounts[id]
		fresh := a == nil
		if fresh {
			a = &account{id: id}
			m.accounts[id] = a
		}
		a.tat, a.given, a.end, a.used = k.Tat-now.wall+now.mono, k.Given, k.End, k.Used
		if fresh {
			heap.Push(&m.queue, turn{a, a.settles(now)})
		}
	}
	return nil
}

// save has the Keeper keep the counts. M and the Keeper must be locked.
func (m *Memory) save(now moment) error {
	if m.keeper == nil {
		return nil
	}
	list := make([]kept, 0, len(m.accounts))
	for id, a := range m.accounts {
		if !a.settled(now) {
			list = append(list, kept{id.limit, hex.EncodeToString(id.account[:]), a.tat - now.mono + now.wall, a.given, a.end, a.used})
		}
	}
	raw, err := json.Marshal(list)
	if err == nil {
		err = m.keeper.Keep(raw)
	}
	if err != nil {
		return fmt.Errorf("limits cannot be counted: %w", err)
	}
	return nil
}
