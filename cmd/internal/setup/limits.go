// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"log/slog"

	"github.com/toolvet/toolvet/cmd/internal/redisstore"
	"github.com/toolvet/toolvet/internal/limit"
)

// SharedLimits opens the store for limits that several processes share.
func SharedLimits(at limit.Shared, log *slog.Logger) (limit.ClosingStore, error) {
	redisstore.LogTo(log)
	store, err := redisstore.New(at, log)
	if err != nil {
		return nil, err // a nil *Store is no nil store
	}
	return store, nil
}
