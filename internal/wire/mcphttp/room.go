// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import "sync"

// All is the factor from the limit of one owner to that of all together.
const All = 10

// A Room has places, for concurrent requests or for sessions. It is safe for concurrent use.
type Room struct {
	perOwner int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

// NewRoom makes a room with n places for one owner, and ten times as many for all.
func NewRoom(perOwner int) *Room { return &Room{perOwner: perOwner, by: map[string]int{}} }

// Enter takes a place for an owner, until Leave is called. It returns false if there is none.
func (r *Room) Enter(owner string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by[owner] >= r.perOwner || r.taken >= All*r.perOwner {
		return false
	}
	r.by[owner]++
	r.taken++
	return true
}

// Leave gives a place back.
func (r *Room) Leave(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken--
	if r.by[owner]--; r.by[owner] == 0 {
		delete(r.by, owner)
	}
}
