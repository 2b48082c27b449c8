// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
)

// Take implements [limit.Store].
func (s *store) Take(ctx context.Context, claims []limit.Claim) (limit.Spent, []limit.Balance, error) {
	t := &ticket{store: s, id: rand.Text(), claims: claims, keys: s.keys(claims)}
	r, err := s.ask(ctx, 1, t.id, claims, t.keys)
	switch {
	case errors.Is(err, limit.ErrAway) && s.local != nil:
		return s.local.Take(ctx, claims)
	case err != nil:
		return nil, nil, err
	case !r.passes():
		return nil, r.balances(claims), nil
	}
	t.after = r
	s.leases.hold(t.id, t.slots())
	return t, nil, nil
}

// Peek implements [limit.Store].
func (s *store) Peek(ctx context.Context, claims []limit.Claim) ([]limit.Balance, error) {
	r, err := s.ask(ctx, 0, "", claims, s.keys(claims))
	switch {
	case errors.Is(err, limit.ErrAway) && s.local != nil:
		return s.local.Peek(ctx, claims)
	case err != nil:
		return nil, err
	}
	return r.balances(claims), nil
}

// asks bounds the questions to Redis for one call. The second is for a call that is in another window by Redis's
// clock than by our estimate. The others are for a clock that jumps just then.
const asks = 3

// ask runs take.lua.
func (s *store) ask(ctx context.Context, spend int, id string, claims []limit.Claim, keys []string) (reply, error) {
	patient, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	for range asks {
		r, err := s.run(ctx, patient, s.take, keys, s.takeArgs(spend, id, claims))
		if err != nil {
			return nil, err
		}
		if len(r) > 0 {
			s.ahead.Store(int64(time.Until(time.UnixMicro(r[0]))))
		}
		if len(r) == 2+perClaim*len(claims) {
			return r, nil
		}
	}
	return nil, limit.ErrAway
}

func (s *store) takeArgs(spend int, id string, claims []limit.Claim) []any {
	args := make([]any, 0, 4+6*len(claims))
	args = append(args, spend, id, s.lease.Microseconds(), s.override())
	now := s.now()
	for i := range claims {
		t := claims[i].Terms
		var start, end int64
		if t.Quota > 0 {
			from, till := t.Window(now)
			start, end = from.UnixMicro(), till.UnixMicro()
		}
		args = append(args, t.Interval.Microseconds(), t.Burst, t.Quota, start, end, t.Concurrency)
	}
	return args
}

// A reply is the result of take.lua: the time, whether all claims pass, and perClaim values for each.
type reply []int64

const perClaim = 8

func (r reply) passes() bool { return r[1] == 1 }

func (r reply) claim(i int) []int64 { return r[2+perClaim*i:][:perClaim] }

func (r reply) balances(claims []limit.Claim) []limit.Balance {
	list := make([]limit.Balance, len(claims))
	for i := range list {
		v := r.claim(i)
		list[i] = limit.Balance{
			Rate:        limit.Left{Calls: int(v[0]), Wait: time.Duration(v[1]) * time.Microsecond},
			Quota:       limit.Left{Calls: int(v[2]), Wait: time.Duration(v[3]) * time.Microsecond},
			Concurrency: int(v[4]),
		}
	}
	return list
}
