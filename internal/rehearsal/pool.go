// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxIdle bounds the time that a session waits for its rehearsal. The server does not see later changes of files that
// it has looked at.
const maxIdle = time.Minute

// idleSearch bounds the search for writable places of a session that nobody waits for.
const idleSearch = time.Second

// A Pool keeps a session ready for the next rehearsal, so that nobody waits for the server to start. Each session is
// for one rehearsal. A Pool is safe for concurrent use.
type Pool struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc
	starts sync.WaitGroup // and the ends of sessions

	mu    sync.Mutex
	ready *Session
	until *time.Timer // ends ready after maxIdle
	busy  bool        // a session is starting
}

// NewPool returns a pool. It starts nothing before the first Take.
func NewPool(cfg Config) *Pool {
	p := &Pool{cfg: cfg}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Take returns a session. The pool starts the next one when the caller closes it.
func (p *Pool) Take(ctx context.Context) (*Session, error) {
	if p.ctx.Err() != nil {
		return nil, errors.New("toolvet ends")
	}
	if p.cfg.fault != nil {
		return nil, p.cfg.fault
	}
	s := p.take()
	if s != nil && s.refresh() != nil {
		s.Close()
		s = nil
	}
	if s == nil {
		var err error
		if s, err = Start(ctx, p.cfg); err != nil {
			return nil, err
		}
	}
	s.retire = p.retire
	return s, nil
}

// retire ends a session in the background, and starts the next one.
func (p *Pool) retire(end func()) {
	p.mu.Lock()
	closed := p.ctx.Err() != nil
	if !closed {
		p.starts.Go(end)
	}
	p.mu.Unlock()
	if closed {
		end()
		return
	}
	p.refill()
}

func (p *Pool) take() *Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.ready
	p.ready = nil
	if p.until != nil {
		p.until.Stop()
	}
	return s
}

// refill starts a session unless there is one.
func (p *Pool) refill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy || p.ready != nil || p.ctx.Err() != nil {
		return
	}
	p.busy = true
	p.starts.Go(func() {
		cfg := p.cfg
		cfg.search, cfg.ahead = idleSearch, true
		s, err := Start(p.ctx, cfg)
		if err == nil {
			// Forget now everything that the server has looked at, so that little is left to forget when somebody waits.
			if err = s.refresh(); err != nil {
				s.Close()
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy = false
		if err != nil {
			return // the next Take finds the same fault, and reports it
		}
		p.ready = s
		p.until = time.AfterFunc(maxIdle, func() {
			if old := p.takeIf(s); old != nil {
				old.Close()
			}
		})
	})
}

func (p *Pool) takeIf(s *Session) *Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready != s {
		return nil
	}
	p.ready = nil
	return s
}

// Warm waits until a session is ready or none is starting, and until earlier sessions have ended.
func (p *Pool) Warm() {
	p.refill()
	p.starts.Wait()
}

// Close ends the pool's session.
func (p *Pool) Close() {
	p.mu.Lock()
	p.cancel()
	p.mu.Unlock()
	p.starts.Wait()
	if s := p.take(); s != nil {
		s.Close()
	}
}
