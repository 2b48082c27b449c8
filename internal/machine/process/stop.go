// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"time"
)

// DefaultGrace is how long each stage of [Process.Stop] lasts unless told.
const DefaultGrace = 2 * time.Second

// A Grace says how long [Process.Stop] waits before it gets harsher. Zero is
// [DefaultGrace], negative is no wait.
type Grace struct {
	EOF  time.Duration // after closing standard input
	Term time.Duration // after SIGTERM
}

// Stop ends the server in the order that MCP gives for stdio: it closes standard
// input, then sends SIGTERM and at last SIGKILL to the whole tree, and goes on
// as soon as everything is gone. Windows has no SIGTERM; the tree is ended in
// its place. When ctx is done, Stop goes straight to the end.
//
// Stop may be called several times and at once: SIGTERM and SIGKILL are sent
// once, when the first of the callers gets there. Source: MCP 2026-07-28,
// basic/transports/stdio, shutdown.
func (p *Process) Stop(ctx context.Context, grace Grace) Exit {
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
	return killed // it has the signal; the kernel cannot deliver it
}

// gone waits for the end of p, of ctx or of limit, and reports whether p has
// ended. If so there must be no more signals: its number may be another's now.
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
