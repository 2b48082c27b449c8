// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"log/slog"
	"sync"
)

// stray counts messages of a server that nobody asked for, by what toolvet's log says of them. Some
// servers send thousands, a harmful one fills the disk with them, and a client may not drain our log. So
// it logs only the first of a kind, the tenth, the hundredth and so on.
type stray struct {
	mu   sync.Mutex
	seen map[string]int // by message
	next map[string]int // the next one to log
}

// warn logs a constant message, now and then.
func (s *stray) warn(log *slog.Logger, message string, attributes ...any) {
	s.mu.Lock()
	if s.seen == nil {
		s.seen, s.next = map[string]int{}, map[string]int{}
	}
	s.seen[message]++
	n := s.seen[message]
	due := n >= max(s.next[message], 1)
	if due {
		s.next[message] = 10 * n
	}
	s.mu.Unlock()
	if due {
		log.Warn(message, append(attributes, "so_far", n)...)
	}
}
