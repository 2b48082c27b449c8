// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/inside"
)

// Vetted remembers the lists that a gate has passed without a finding. Clients ask for the same
// lists over and over, and their scan is most of what a list costs. A nil Vetted remembers nothing.
// It is safe for concurrent use.
type Vetted struct {
	mu   sync.Mutex
	gate *toolvet.Gate
	sums map[[sha256.Size]byte]bool
}

// maxVetted bounds the lists that are remembered: more than the pages of the largest servers known.
const maxVetted = 64

// sumOf returns what identifies a list, and false for a text that is no list.
func sumOf(method string, raw json.RawMessage) (sum [sha256.Size]byte, ok bool) {
	if method != "tools/list" && listed.Member(method) == "" {
		return sum, false
	}
	h := sha256.New()
	h.Write([]byte(method))
	h.Write([]byte{0})
	h.Write(raw)
	h.Sum(sum[:0])
	return sum, true
}

func (v *Vetted) has(gate *toolvet.Gate, sum [sha256.Size]byte) bool {
	if v == nil {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.gate == gate && v.sums[sum]
}

// learn remembers a review of raw by gate, if it says that the list may pass as it is.
func (v *Vetted) learn(gate *toolvet.Gate, sum [sha256.Size]byte, raw json.RawMessage, r *toolvet.Reviewed) {
	clean := r.Go && len(r.Findings)+len(r.Skipped)+len(r.Notes) == 0 && string(r.Raw) == string(raw)
	if v == nil || !clean || !inside.Of(gate).Repeats() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gate != gate || len(v.sums) >= maxVetted {
		v.gate, v.sums = gate, map[[sha256.Size]byte]bool{}
	}
	v.sums[sum] = true
}
