// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/upstream"
)

const (
	// DefaultProcesses is the default bound of the processes of one server for one principal. A client
	// needs one, or one a session at a path of its own.
	DefaultProcesses = 8
	// allProcesses is the factor from that bound to the one of all processes.
	allProcesses = 16
	// processWait bounds the wait for room, and endWait that for one process that ends to make it.
	processWait = 8 * time.Second
	endWait     = 2 * time.Second
)

// processes bounds the processes of servers that run at the same time. It is safe for concurrent use.
type processes struct {
	most int // of one owner; allProcesses times as many in all

	mu    sync.Mutex
	all   int
	by    map[owner]int
	freed chan struct{}          // closed and replaced when a process has ended
	idle  []func(principal) bool // end one process that nobody uses: of a principal, or of anybody if it is ""
}

type principal string

// An owner of a process is a principal at a server.
type owner struct {
	principal principal
	server    string
}

func newProcesses(most int) *processes {
	if most <= 0 {
		most = DefaultProcesses
	}
	return &processes{most: most, by: map[owner]int{}, freed: make(chan struct{})}
}

// endsIdle adds a function that ends a process without use.
func (p *processes) endsIdle(end func(principal) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, end)
}

// enter counts a process until leave is called. If there are too many, enter ends one that nobody uses,
// and waits for its end. The error tells the client why there is no room.
func (p *processes) enter(ctx context.Context, who owner) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, processWait)
	defer cancel()
	for {
		freed, crowded := p.take(who)
		if freed == nil {
			return sync.OnceFunc(func() { p.leave(who) }), nil
		}
		if !p.endIdle(crowded) {
			return nil, p.full(crowded)
		}
		select {
		case <-freed:
		case <-time.After(endWait):
		case <-ctx.Done():
			return nil, p.full(crowded)
		}
	}
}

// take counts a process. Otherwise it returns a channel that is closed when one has ended, and whose
// processes are too many: those of a principal, or all.
func (p *processes) take(who owner) (freed <-chan struct{}, crowded principal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.by[who] >= p.most:
		return p.freed, who.principal
	case p.all >= allProcesses*p.most:
		return p.freed, ""
	}
	p.by[who]++
	p.all++
	return nil, ""
}

func (p *processes) leave(who owner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.by[who]--; p.by[who] == 0 {
		delete(p.by, who)
	}
	close(p.freed)
	p.freed = make(chan struct{})
}

func (p *processes) endIdle(of principal) bool {
	p.mu.Lock()
	idle := p.idle
	p.mu.Unlock()
	for _, end := range idle {
		if end(of) {
			return true
		}
	}
	return false
}

func (p *processes) full(crowded principal) error {
	if crowded == "" {
		return fmt.Errorf("%d server processes run already, and all are in use: try again later", allProcesses*p.most)
	}
	return fmt.Errorf("%d processes of this server run for you already, and all are in use: end a session with DELETE, or try again later", p.most)
}

// A countedDialer counts the processes that it starts.
type countedDialer struct {
	upstream.Dialer
	processes *processes
	who       owner
}

// Dial implements upstream.Dialer.
func (d countedDialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	leave, err := d.processes.enter(ctx, d.who)
	if err != nil {
		return nil, err
	}
	t, err := d.Dialer.Dial(ctx, stderr)
	if err != nil {
		leave()
		return nil, err
	}
	go func() {
		<-t.Done()
		leave()
	}()
	return t, nil
}

// counted counts the processes of a server for a principal, unless the server has none.
func (p *processes) counted(s *served) func(call.Session, upstream.Dialer) upstream.Dialer {
	if s.local != nil || s.policy.URL != "" {
		return nil
	}
	return func(who call.Session, dialer upstream.Dialer) upstream.Dialer {
		return countedDialer{dialer, p, owner{principal(who.Principal()), s.name}}
	}
}
