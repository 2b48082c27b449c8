// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/door"
)

// A peer is one server of a Set. It has at most one connection at a time, shared by all callers.
type peer struct {
	set  *Set
	cfg  Server
	door door.Door

	mu       sync.Mutex
	state    State
	link     *link          // nil: not connected
	dialing  *flight[*link] // nil: not connecting
	failures int            // in a row
	uses     int            // requests on the connection now
	idle     *time.Timer    // nil: none
	closed   bool
	running  sync.WaitGroup // goroutines that connect and watch
}

// A link is one connection with the lists received over it.
type link struct {
	*client
	began time.Time
	slow  atomic.Int64  // how long a slow start took, in nanoseconds; 0: it was none, or the log has told its end
	lost  chan struct{} // closed when the peer has noted the end of the connection
	lists lists
}

func newPeer(s *Set, cfg Server) *peer {
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), DefaultTimeout)
	cfg.CallTimeout = cmp.Or(cfg.CallTimeout, defaultCallTimeout)
	p := &peer{set: s, cfg: cfg, state: State{Server: cfg.Name, Status: Idle, Since: time.Now()}}
	p.door = door.Door{Server: cfg.Name, Point: toolvet.PointProxy, Observer: s.cfg.Observer, Logger: s.log, Limits: messages, Vetted: new(door.Vetted)}
	p.door.Gate = func() *toolvet.Gate {
		gate, _ := s.gate(cfg.Name)
		return gate
	}
	return p
}

// acquire returns the connection, and makes it if there is none. The caller must call release
// after use.
func (p *peer) acquire(ctx context.Context) (l *link, release func(), err error) {
	for {
		l, wait, err := p.next()
		switch {
		case err != nil:
			return nil, nil, err
		case l != nil:
			return l, sync.OnceFunc(p.release), nil
		}
		if err := wait(ctx); err != nil {
			return nil, nil, err
		}
	}
}

// next returns the connection, or a function that waits until the caller should try again.
func (p *peer) next() (l *link, wait func(context.Context) error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pause := time.Until(p.state.Next)
	switch {
	case p.closed || p.set.ctx.Err() != nil:
		return nil, nil, ErrClosed
	case p.link != nil && p.link.over():
		lost := p.link.lost
		return nil, func(ctx context.Context) error { return await(ctx, lost) }, nil
	case p.link != nil:
		p.uses++
		if p.idle != nil {
			p.idle.Stop()
		}
		return p.link, nil, nil
	case p.dialing != nil:
	case pause > 0 && p.failures >= circuitAfter:
		return nil, nil, &UnavailableError{server: p.cfg.Name, Next: p.state.Next, Err: p.state.Err, held: true}
	case pause > 0:
		return nil, func(ctx context.Context) error { return sleep(ctx, p.set.ctx, pause) }, nil
	default:
		p.dialing = newFlight[*link]()
		p.setState(State{Status: Connecting, Failures: p.failures, Err: p.state.Err})
		f := p.dialing
		p.running.Go(func() { p.dial(f) })
	}
	f := p.dialing
	return nil, func(ctx context.Context) error {
		_, err := f.wait(ctx)
		return err
	}, nil
}

// slowStart is the time after which an operator is told that a server is still starting.
const slowStart = 3 * time.Second

// dial connects for all waiting callers.
func (p *peer) dial(f *flight[*link]) {
	l := &link{lost: make(chan struct{})}
	began := time.Now()
	slow := time.AfterFunc(slowStart, func() {
		p.set.log.Warn("a server is still starting", "server", p.cfg.Name, "after", slowStart, "limit", cmp.Or(max(p.cfg.Timeout, 0), DefaultTimeout))
	})
	client, err := connect(p.set.ctx, p.cfg.Dialer, options{
		Stderr: p.cfg.Stderr, Timeout: p.cfg.Timeout, Limits: messages, Capabilities: p.cfg.Capabilities,
		Handler: Handler{Request: p.asked(p.cfg.Handler.Request, nil), Notify: func(method string, params json.RawMessage) {
			l.lists.notified(method)
			if params, ok := p.told(method, params); ok {
				p.set.publish(Notification{p.cfg.Name, method, params})
			}
		}},
	})
	l.client, l.began = client, time.Now()
	if !slow.Stop() { // the log has warned, and says how it ended once it knows the tools
		l.slow.Store(int64(l.began.Sub(began)))
	}
	p.mu.Lock()
	p.dialing = nil
	switch {
	case p.closed || p.set.ctx.Err() != nil:
		err = ErrClosed
	case err != nil:
		p.failed(err)
		err = &UnavailableError{server: p.cfg.Name, Next: p.state.Next, Err: err}
	default:
		p.link = l
		p.setState(State{Status: Ready, Version: client.ProtocolVersion()})
		p.running.Go(func() { p.watch(l) })
		p.running.Go(func() { p.listen(l) })
		p.rest()
	}
	p.mu.Unlock()
	if errors.Is(err, ErrClosed) && client != nil {
		client.Close(p.set.ctx)
	}
	f.land(l, err)
}

// watch waits for the end of a connection.
func (p *peer) watch(l *link) {
	<-l.Done()
	why := l.Err() // may wait for the exit code
	p.mu.Lock()
	if p.link == l {
		p.link = nil
		p.lost(time.Since(l.began), why)
	}
	p.mu.Unlock()
	close(l.lost)
	l.Close(canceled())
}

// lost notes the unwanted end of a connection. P must be locked.
func (p *peer) lost(lived time.Duration, why error) {
	if lived < stable {
		p.failed(why)
		return
	}
	p.failures = 0
	p.setState(State{Status: Failed, Err: why}) // the next use tries at once
	p.set.log.Warn("a server's connection is lost", "server", p.cfg.Name, "err", why)
}

// over reports whether no more answers will come.
func (l *link) over() bool {
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

// canceled returns a context that makes Close use force at once.
func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// failed notes a connection that could not be made or did not last. P must be locked.
func (p *peer) failed(why error) {
	p.failures++
	p.setState(State{Status: Failed, Err: why, Failures: p.failures, Next: time.Now().Add(backoff(p.failures))})
	p.set.log.Warn("a server is not connected", "server", p.cfg.Name, "failures", p.failures, "next", p.state.Next, "err", why)
}

func (p *peer) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.uses--
	p.rest()
}

// rest starts the timer that closes an idle connection. P must be locked.
func (p *peer) rest() {
	if p.uses > 0 || p.cfg.Idle <= 0 || p.link == nil {
		return
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	l := p.link
	p.idle = time.AfterFunc(p.cfg.Idle, func() { p.sleep(l) })
}

// sleep closes an idle connection.
func (p *peer) sleep(l *link) {
	p.mu.Lock()
	if p.link != l || p.uses > 0 || p.closed {
		p.mu.Unlock()
		return
	}
	p.link, p.failures = nil, 0
	p.setState(State{Status: Idle})
	p.running.Go(func() { l.Close(p.set.ctx) })
	p.mu.Unlock()
}

func (p *peer) close(ctx context.Context) {
	p.mu.Lock()
	l := p.link
	p.link, p.closed = nil, true
	if p.idle != nil {
		p.idle.Stop()
	}
	p.setState(State{Status: Idle})
	p.mu.Unlock()
	if l != nil {
		l.Close(ctx)
	}
	p.running.Wait()
}

// do makes a request on the connection of the moment.
func (p *peer) do(ctx context.Context, r Request) (json.RawMessage, error) {
	if p.cfg.CallTimeout > 0 && !r.patient {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.cfg.CallTimeout)
		defer cancel()
	}
	if r.Handler != nil {
		own := *r.Handler
		own.Request = p.asked(own.Request, r.caller)
		r.Handler = &own
	}
	if tell := r.Progress; tell != nil {
		r.Progress = func(params json.RawMessage) {
			if params, ok := p.told("notifications/progress", params); ok {
				tell(params)
			}
		}
	}
	raw, err := again(r.Method, func() (json.RawMessage, error) {
		l, release, err := p.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		return l.Do(ctx, r)
	})
	return raw, p.set.ended(err)
}

// harmless lists the requests that may be sent twice: they change nothing at the server, and
// their results are the same for every caller.
var harmless = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"}

// again repeats a request once if the server died during the first try, and only if nothing
// was sent or the method is harmless.
func again[T any](method string, do func() (T, error)) (T, error) {
	v, err := do()
	var gone *GoneError
	if errors.As(err, &gone) && (!gone.Sent || slices.Contains(harmless, method)) {
		return do()
	}
	return v, err
}
