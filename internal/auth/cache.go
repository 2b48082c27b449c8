// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Bounds of the memory of verified tokens. After an issuer withdraws a key, tokens signed with it are accepted for at
// most maxRemembered longer than the key.
const (
	maxRemembered = time.Minute
	maxVerified   = 10_000
)

// verified remembers verified tokens by digest. Only good tokens get in, so nobody can fill it from outside.
type verified struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]remembered
}

type remembered struct {
	identity *identity
	until    time.Time
}

func (v *verified) find(digest [sha256.Size]byte, now time.Time) *identity {
	v.mu.Lock()
	defer v.mu.Unlock()
	e, ok := v.entries[digest]
	if ok && !now.Before(e.until) {
		delete(v.entries, digest)
		return nil
	}
	return e.identity
}

// add forgets any other token if there is no room.
func (v *verified) add(digest [sha256.Size]byte, i *identity, now time.Time) {
	until := now.Add(maxRemembered)
	if i.principal.Expires.Before(until) {
		until = i.principal.Expires
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.entries == nil {
		v.entries = map[[sha256.Size]byte]remembered{}
	}
	for other := range v.entries {
		if len(v.entries) < maxVerified {
			break
		}
		delete(v.entries, other)
	}
	v.entries[digest] = remembered{i, until}
}
