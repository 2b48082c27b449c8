// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redisstore

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// LogTo gives what the Redis client says of its own, such as dials that failed, to a log, as
// information: a Store tells itself what matters. Without LogTo the client writes to standard
// error. It holds for the whole program, so it is for programs to call, not for libraries.
func LogTo(log *slog.Logger) { redis.SetLogger(clientLog{log}) }

type clientLog struct{ *slog.Logger }

// Printf is what the client calls.
func (l clientLog) Printf(ctx context.Context, format string, args ...any) {
	l.InfoContext(ctx, "the Redis client: "+fmt.Sprintf(format, args...))
}
