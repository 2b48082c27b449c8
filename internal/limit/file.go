// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/heap"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// OpenMemory returns a Memory of the default size whose rates and quotas outlive it in a file: processes with the same file count together,
// one decision at a time. Calls that run at the same time are counted in each process alone, because a process that is killed ends none of
// them. The file is read and written at each decision, which takes about a millisecond. An error to do so refuses the call. For the name "", OpenMemory is NewMemory.
func OpenMemory(file string) (*Memory, error) {
	m := NewMemory(0)
	if file == "" {
		return m, nil
	}
	m.file = &countFile{name: file, lock: flock.New(file + ".lock")}
	m.mu.Lock()
	defer m.mu.Unlock()
	unlock, err := m.load()
	if err != nil {
		return nil, err
	}
	unlock()
	return m, nil
}

// A countFile keeps the tallies of a Memory.
type countFile struct {
	name string
	lock *flock.Flock
}

// A kept tally is one of the file. Times are those of the wall, in microseconds.
type kept struct {
	Limit   string `json:"limit"`
	Account string `json:"account"`
	Tat     int64  `json:"tat"`
	Given   int64  `json:"given"`
	End     int64  `json:"end"`
	Used    int    `json:"used"`
}

// load reads the file and keeps it locked until unlock is called. M must be locked. Without a file it does nothing.
func (m *Memory) load() (unlock func(), err error) {
	if m.file == nil {
		return func() {}, nil
	}
	if err := m.file.lock.Lock(); err != nil {
		return nil, fmt.Errorf("limits cannot be counted: %w", err)
	}
	defer func() {
		if err != nil {
			_ = m.file.lock.Unlock() // the error that comes first is told
		}
	}()
	raw, err := os.ReadFile(m.file.name)
	if errors.Is(err, os.ErrNotExist) {
		return m.unlock, nil
	}
	var list []kept
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("limits cannot be counted, because the file of the counts cannot be read (remove it to begin anew): %w", err)
	}
	now := m.now()
	for _, k := range list {
		id := accountID{limit: k.Limit}
		if n, err := hex.Decode(id.account[:], []byte(k.Account)); err != nil || n != len(id.account) {
			return nil, errors.New("limits cannot be counted, because the file of the counts names no account: remove it to begin anew")
		}
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
	return m.unlock, nil
}

func (m *Memory) unlock() { _ = m.file.lock.Unlock() } // the end of the process does it, too

// save writes the file. M must be locked, and the file as well.
func (m *Memory) save(now moment) error {
	if m.file == nil {
		return nil
	}
	list := make([]kept, 0, len(m.accounts))
	for id, a := range m.accounts {
		if a.settled(now) {
			continue
		}
		list = append(list, kept{id.limit, hex.EncodeToString(id.account[:]), a.tat - now.mono + now.wall, a.given, a.end, a.used})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	next := fmt.Sprintf("%s.%d.next", m.file.name, time.Now().UnixNano())
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, m.file.name)
}
