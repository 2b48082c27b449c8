// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// LogTo writes the messages of the Redis client, such as failed dials, to a log at the level of information. A Store
// reports by itself whatever matters. Without LogTo, the client writes to standard error. LogTo affects the whole
// program: programs may call it, libraries should not.
func LogTo(log *slog.Logger) { redis.SetLogger(clientLog{log}) }

type clientLog struct{ *slog.Logger }

// Printf implements the client's interface for logs.
func (l clientLog) Printf(ctx context.Context, format string, args ...any) {
	l.InfoContext(ctx, "the Redis client: "+fmt.Sprintf(format, args...))
}
