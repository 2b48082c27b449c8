// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"time"
)

// DefaultGrace is the default length of each stage of [Process.Stop].
const DefaultGrace = 2 * time.Second

// A Grace has the waits between the stages of [Process.End]. Zero means [DefaultGrace], negative means
// none.
type Grace struct {
	EOF  time.Duration // after closing standard input
	Term time.Duration // after SIGTERM
}

// Stop is [Process.End] with the default waits. The error is an [Exit], or nil for the code 0.
func (p *Process) Stop(ctx context.Context) error {
	return p.End(ctx, Grace{}).Err()
}

// End ends the server in the order that MCP gives for stdio: it closes standard input, then sends
// SIGTERM and at last SIGKILL to the whole tree, and returns as soon as everything is gone. Windows has
// no SIGTERM, so End ends the tree at that stage. When ctx is done, End skips to SIGKILL.
//
// End may be called several times and concurrently: the first caller at each stage sends the signal,
// once. Source: MCP 2026-07-28, basic/transports/stdio, shutdown.
func (p *Process) End(ctx context.Context, grace Grace) Exit {
	p.stdin.Close()
	if p.gone(ctx, cmp.Or(grace.EOF, DefaultGrace)) {
		return p.exit
	}
	if ctx.Err() == nil {
		p.ask.Do(p.tree.terminate)
		if p.gone(ctx, cmp.Or(grace.Term, DefaultGrace)) {
			return p.exit
		}
	}
	p.kill.Do(p.tree.kill)
	if p.gone(context.WithoutCancel(ctx), giveUp) {
		return p.exit
	}
	return killed // the signal is sent; the kernel cannot deliver it
}

// gone waits for the end of p, of ctx or of limit, and reports whether p has ended. Then no more
// signals may be sent: its number may belong to another process.
func (p *Process) gone(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-timer.C:
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
