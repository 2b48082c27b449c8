// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet/upstream"
)

// watch looks after the servers of jobs until ctx is done, apart from those that another worker looks after. Each server has loops of its own, so that one that hangs delays
// the validations of no other.
func (e *engine) watch(ctx context.Context) {
	type watched struct {
		soon chan struct{}
		stop func()
	}
	var all sync.WaitGroup
	defer all.Wait()
	servers := map[string]*watched{}
	for {
		names, err := e.store.Servers(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("the store cannot list the servers of jobs", "err", err)
		}
		for _, name := range names {
			if servers[name] != nil || !e.judges(ctx, name) {
				continue
			}
			own, stop := context.WithCancel(ctx)
			w := &watched{soon: make(chan struct{}, 1), stop: stop}
			servers[name] = w
			all.Go(func() { e.checks(own, name, w.soon) })
			all.Go(func() { e.tools(own, name) })
		}
		for name, w := range servers {
			if err == nil && (!slices.Contains(names, name) || !e.judges(ctx, name)) {
				w.stop()
				delete(servers, name)
				continue
			}
			kick(w.soon)
		}
		if !pause(ctx, max(e.cfg.Poll, time.Second), e.check) {
			return
		}
	}
}

// tools makes the validation of a server's jobs due when its tools change, and when it goes away or comes back. It asks for the
// tools every few seconds, so that a connection is open over which the server can tell of changes.
func (e *engine) tools(ctx context.Context, server string) {
	before, err := e.listed(ctx, server)
	away := err != nil
	for pause(ctx, 5*max(e.cfg.Poll, time.Second), nil) {
		now, err := e.listed(ctx, server)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) == away && (away || now == before) {
			continue
		}
		if away = err != nil; !away {
			before = now
		}
		if err := e.recheckAll(ctx, server); err != nil && ctx.Err() == nil {
			e.log.Error("jobs could not be validated after a change of their server", "server", server, "err", err)
			away = !away // the next look tries again
		}
	}
}

// listed returns a digest of a server's tools, as the owner of one of its jobs sees them.
func (e *engine) listed(ctx context.Context, server string) (sum [sha256.Size]byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	list, err := e.store.Jobs(ctx, JobFilter{Server: server, State: Active, Limit: 1})
	if err != nil || len(list) == 0 {
		return sum, err
	}
	tools, err := e.cfg.Caller.Tools(ctx, server, upstream.WithSession(list[0].session()))
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	for _, name := range slices.Sorted(slices.Values(tools.Names())) {
		h.Write(tools.Tool(name).Raw)
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
