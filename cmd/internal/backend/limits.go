// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"log/slog"

	"github.com/toolvet/toolvet/driver/redis"
	"github.com/toolvet/toolvet/internal/limit"
)

// SharedLimits opens the store for limits that several processes share. The Redis client writes to the program's log.
var SharedLimits limit.Opener = counters{}

type counters struct{}

func (counters) Open(at limit.Shared, log *slog.Logger) (limit.ClosingStore, error) {
	redis.LogTo(log)
	return redis.New().Open(at, log)
}
