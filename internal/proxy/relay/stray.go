// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"log/slog"
	"sync/atomic"
)

// stray counts lines of a server that are not messages. Some servers print thousands, and a
// client may not drain our log, so it logs only the first, the tenth, the hundredth and so on.
type stray struct{ count, next atomic.Int64 }

func (s *stray) warn(log *slog.Logger, message string, err error) {
	n := s.count.Add(1)
	next := max(s.next.Load(), 1)
	if n < next || !s.next.CompareAndSwap(s.next.Load(), 10*next) {
		return
	}
	log.Warn(message, "err", err, "so_far", n)
}
