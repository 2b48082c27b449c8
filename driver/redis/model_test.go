// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

// The limits of the model, each by identity.
const (
	modelStep  = 300 * time.Millisecond
	modelBurst = 4
	modelSlots = 3
	modelQuota = 25
)

func modelLimits() []limit.Limit {
	per := []limit.Dimension{limit.Identity}
	return []limit.Limit{
		{Name: "rate", Per: per, Rate: limit.Rate{Calls: 10, Per: 10 * modelStep}, Burst: modelBurst},
		{Name: "slots", Per: per, Concurrency: modelSlots},
		{Name: "quota", Per: per, Quota: limit.Quota{Calls: modelQuota, Period: limit.Hour}},
	}
}

// A modelCall is a call that passed.
type modelCall struct {
	key        limit.Key
	at         time.Time
	ticket     *limit.Ticket
	running    bool
	rolledBack bool
}

// A model knows the whole past, and decides by the definitions.
type model []*modelCall

// passes reports whether a call may pass, given the calls that count.
func (m model) passes(key limit.Key, now time.Time, counts func(*modelCall) bool) (rate, rest bool) {
	rate = true
	n, slots, used := 0, 0, 0
	for _, c := range slices.Backward(m) {
		if c.key != key {
			continue
		}
		if c.running {
			slots++
		}
		if !c.rolledBack && c.at.Truncate(time.Hour).Equal(now.Truncate(time.Hour)) {
			used++
		}
		if counts(c) {
			n++ // from c on: any span d lets at most burst + d/step through
			rate = rate && n+1 <= modelBurst+int(now.Sub(c.at)/modelStep)
		}
	}
	return rate, slots < modelSlots && used < modelQuota
}

// play runs a program, byte by byte, and compares the store with the model. A call that was rolled back may have come
// back only in part. So the store lets no more through than if no such call had been made, and no less than if all of
// them counted.
func play(t *testing.T, w world, program []byte) {
	l := newLimiter(t, w.store, modelLimits()...)
	var past model
	for _, op := range program {
		arg := int(op >> 3)
		switch op & 7 {
		case 0, 1, 2, 3:
			past = past.call(t, l, limit.Key{Identity: string('a' + rune(arg&1))}, w.now())
		case 4:
			w.sleep(time.Duration(arg) * 37 * time.Millisecond)
		case 5:
			w.sleep(time.Duration(arg) * 97 * time.Second)
		default:
			past.end(arg, op&7 == 7)
		}
	}
}

func (m model) call(t *testing.T, l *limit.Limiter, key limit.Key, now time.Time) model {
	t.Helper()
	most, rest := m.passes(key, now, func(c *modelCall) bool { return !c.rolledBack })
	least, _ := m.passes(key, now, func(*modelCall) bool { return true })
	_, peeked := l.Peek(t.Context(), key)
	ticket, err := l.Take(t.Context(), key)
	var r *limit.Refusal
	switch {
	case (peeked == nil) != (err == nil):
		t.Fatalf("call %d: Peek says %v, Take %v", len(m), peeked, err)
	case err == nil && !(most && rest):
		t.Fatalf("call %d passes, and must not", len(m))
	case err != nil && !errors.As(err, &r):
		t.Fatal(err)
	case err != nil && least && rest:
		t.Fatalf("call %d is refused, and must pass: %v", len(m), err)
	case err != nil && r.RetryAfter <= 0:
		t.Fatalf("call %d: retry after %v", len(m), r.RetryAfter)
	case err != nil:
		return m
	}
	return append(m, &modelCall{key: key, at: now, ticket: ticket, running: true})
}

// end ends one of the running calls.
func (m model) end(which int, rollback bool) {
	var running []*modelCall
	for _, c := range m {
		if c.running {
			running = append(running, c)
		}
	}
	if len(running) == 0 {
		return
	}
	c := running[which%len(running)]
	c.running = false
	if rollback {
		c.rolledBack = true
		c.ticket.Rollback()
	} else {
		c.ticket.Release()
	}
}

func randomProgram(seed uint64, length int) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	program := make([]byte, length)
	for i := range program {
		program[i] = byte(random.Uint32())
		if random.IntN(4) > 0 && program[i]&7 == 5 {
			program[i]-- // fewer long waits
		}
	}
	return program
}

func FuzzModel(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(randomProgram(seed, 400))
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 1000 {
			t.Skip()
		}
		synctest.Test(t, func(t *testing.T) {
			play(t, world{limit.NewMemory(0), time.Now, time.Sleep}, program)
		})
	})
}

func TestModelRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for seed := range uint64(20) {
		play(t, redisWorld(t, server), randomProgram(seed, 400))
	}
}
