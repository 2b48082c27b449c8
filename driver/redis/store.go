// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	_ "embed" // the scripts
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/toolvet/toolvet/driver"
	"github.com/toolvet/toolvet/internal/limit"
)

//go:embed take.lua
var takeText string

//go:embed rollback.lua
var rollbackText string

//go:embed renew.lua
var renewText string

//go:embed release.lua
var releaseText string

// A tuning has settings that only tests change.
type tuning struct {
	patience time.Duration    // time that one call waits for Redis
	lease    time.Duration    // time that a slot outlives its proxy
	clock    func() time.Time // the time that Redis uses; nil: its own clock
}

var standard = tuning{patience: 250 * time.Millisecond, lease: 15 * time.Second}

// A store is a limit.Store in Redis. It is safe for concurrent use.
type store struct {
	tuning
	client         redis.UniversalClient
	take, rollback *redis.Script
	renew, release *redis.Script
	prefix         string
	local          *limit.Memory // nil: refuse while Redis is away
	away           breaker
	leases         leases
	ahead          atomic.Int64       // how far Redis's clock is before ours, in nanoseconds
	stop           context.CancelFunc // ends the renewal of leases
	ended          chan struct{}      // closed after that
}

// New returns the counters. They contact Redis at the first call: while Redis is away, calls are treated as the
// policy's limits say.
func New() driver.Counters { return counters{} }

type counters struct{}

// Open implements limit.Opener. A nil logger is [slog.Default].
func (counters) Open(settings limit.Shared, logger *slog.Logger) (limit.ClosingStore, error) {
	s, err := open(settings, logger, standard)
	if err != nil {
		return nil, err // a nil *store is no nil store
	}
	return s, nil
}

func open(settings limit.Shared, logger *slog.Logger, tuning tuning) (*store, error) {
	var errs []error
	for _, p := range settings.Problems() {
		errs = append(errs, fmt.Errorf("limits shared through Redis: %s: %s", p.Field, p.Message))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	client, err := dial(settings.URL, tuning.patience)
	if err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.Default()
	}
	prefix := settings.Prefix
	if prefix == "" {
		prefix = "toolvet"
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &store{
		tuning:   tuning,
		client:   client,
		take:     redis.NewScript(takeText),
		rollback: redis.NewScript(rollbackText),
		renew:    redis.NewScript(renewText),
		release:  redis.NewScript(releaseText),
		prefix:   "{" + prefix + "}:",
		away:     breaker{logger: logger, local: settings.WhenAway == limit.Local, patience: tuning.patience},
		stop:     stop,
		ended:    make(chan struct{}),
	}
	if settings.WhenAway == limit.Local {
		s.local = limit.NewMemory(0)
	}
	go s.keepLeases(ctx)
	return s, nil
}

// Close frees the slots in use, and closes the connections. After it, Redis counts as away for good.
func (s *store) Close() error {
	s.stop()
	<-s.ended
	for _, b := range s.leases.close() {
		s.end(b)
	}
	return s.client.Close()
}

// keys returns the keys of the claims, two for each.
func (s *store) keys(claims []limit.Claim) []string {
	keys := make([]string, 0, 2*len(claims))
	for i := range claims {
		key := s.prefix + claims[i].Terms.Limit + ":" + base64.RawURLEncoding.EncodeToString(claims[i].Account[:])
		keys = append(keys, key, key+":slots")
	}
	return keys
}

// override returns the time to pass to scripts, "" for the clock of Redis.
func (s *store) override() string {
	if s.clock == nil {
		return ""
	}
	return strconv.FormatInt(s.clock().UnixMicro(), 10)
}

// now estimates the time on Redis's clock.
func (s *store) now() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return time.Now().Add(time.Duration(s.ahead.Load()))
}

// run runs a script, if Redis is not away. Patient is ctx with the time limit for Redis. Any error except that of ctx
// means that Redis is away.
func (s *store) run(ctx, patient context.Context, script *redis.Script, keys []string, args []any) ([]int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !s.away.try(time.Now()) {
		return nil, limit.ErrAway
	}
	values, err := script.Run(patient, s.client, keys, args...).Int64Slice()
	switch {
	case err == nil:
		s.away.succeeded()
		return values, nil
	case past(ctx) != nil:
		return nil, past(ctx) // proves nothing about Redis
	}
	s.away.failed(time.Now(), err)
	return nil, limit.ErrAway
}

// past returns ctx.Err, but notices a deadline as soon as the network does.
func past(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}
