// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/lines"
)

// Config configures [Run]. Gate and one of Command and Connect are required.
type Config struct {
	relay.Config

	Command []string // the server's program and arguments
	Env     []string // its whole environment; nil inherits ours
	Dir     string   // its working directory; "" is ours
	// Connect connects to the server instead of starting Command.
	Connect func() (Peer, error)
	// Ended, unless nil, hears of a server that ended by itself.
	Ended func(process.Exit)
	// Session holds the initial facts about the caller: the subject, the transport. The
	// client's own messages fill in the rest.
	Session call.Session
	// Linger is the time for the server to finish its answers after the client has closed
	// its side but still listens. Default 10 s.
	Linger time.Duration

	// Stdin and Stdout are the client's side. A read of Stdin may still be blocked when
	// Run returns. The server writes to Stderr; nil discards.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Supervisor is a command prefix for starting the server. It ensures that no process
	// of the server outlives the proxy; see process.Command. Empty: a weaker guarantee.
	Supervisor []string
}

// A session is one run of the proxy, for one client and one server. It implements relay.Link.
type session struct {
	cfg    Config
	limits call.Limits
	client *relay.Client
	relay  *relay.Exchange

	toClient, toServer *lineWriter

	reading    *reading        // of the goroutine that now reads the client's messages
	taken      atomic.Int64    // messages read from the client
	ctx        context.Context // of the session
	end        func()          // ends the session
	serverGone chan struct{}   // closed at the end of the server's output
	exited     chan struct{}   // closed when exit is set
	exit       process.Exit    // how the server ended
}

// Run starts the server and relays messages between it and the client until one of them
// is gone or ctx is done. It returns the server's exit code, or an error if the server
// could not be started.
func Run(ctx context.Context, cfg Config) (int, error) {
	p, err := newSession(cfg)
	if err != nil {
		return 0, err
	}
	server, err := p.cfg.connect()
	if err != nil {
		return 0, err
	}
	return p.serve(ctx, server), nil
}

func (c Config) connect() (Peer, error) {
	if c.Connect != nil {
		return c.Connect()
	}
	server, err := process.Start(process.Command{
		Args: c.Command, Env: c.Env, Dir: c.Dir, Stderr: c.Stderr, Supervisor: c.Supervisor,
	})
	if err != nil {
		return nil, err // a nil *process.Process would make a Peer that is not nil
	}
	return server, nil
}

func newSession(cfg Config) (*session, error) {
	if len(cfg.Command) == 0 && cfg.Connect == nil {
		return nil, errors.New("proxy: no server command")
	}
	var err error
	if cfg.Config, err = cfg.Config.WithDefaults(); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if cfg.Linger <= 0 {
		cfg.Linger = 10 * time.Second
	}
	if cfg.Session.ID == "" && cfg.Session.Transport != "http" {
		cfg.Session.ID = rand.Text() // a process is a session
	}
	server, err := relay.NewServer(cfg.Config)
	if err != nil {
		return nil, err
	}
	go server.Warm(context.Background()) // while the server starts
	return &session{
		cfg: cfg, limits: cfg.Limits, client: server.NewClient(cfg.Session),
		toClient: newLineWriter(cfg.Stdout), serverGone: make(chan struct{}), exited: make(chan struct{}),
	}, nil
}

// A Peer is a running server: a *process.Process or an equivalent. The session ends when the
// peer's Stdout ends. Stop ends the peer, at once if ctx is done; an error says how it ended.
type Peer interface {
	Stdin() io.WriteCloser
	Stdout() io.ReadCloser
	Stop(context.Context) error
}

// serve relays messages until one side is gone, and then stops the other.
func (p *session) serve(ctx context.Context, server Peer) int {
	p.ctx, p.end = context.WithCancel(ctx)
	defer p.end()
	p.toServer = newLineWriter(server.Stdin())
	p.relay = p.client.NewExchange(p.ctx, p)
	clientDone := make(chan struct{})
	p.reading = &reading{in: lines.NewReader(p.cfg.Stdin, p.limits.Bytes).ForOwner(p.cfg.Session.Principal()), done: clientDone}
	go p.readClient(p.ctx, p.reading)
	go p.readServer(server.Stdout())
	go p.watchClient()
	byItself := false
	select {
	case <-clientDone:
		p.finish(server)
	case <-p.serverGone:
		byItself = true
	case <-p.ctx.Done():
	}
	if remote(server) && !p.isGone() {
		p.client.Abandon()
	}
	p.exit = stop(p.ctx, server)
	close(p.exited)
	if byItself && p.cfg.Ended != nil {
		p.cfg.Ended(p.exit)
	}
	if !remote(server) {
		p.client.Ended()
	}
	p.within(lastWords, func() {
		<-p.serverGone
		p.abandon(clientDone)
	})
	return p.exit.Code
}

// remote reports whether the calls of a server may go on after its connection has ended.
func remote(server Peer) bool {
	r, ok := server.(interface{ Remote() bool })
	return ok && r.Remote()
}

// lastWords bounds the wait for a client that reads nothing, once the server is gone.
const lastWords = 2 * time.Second

// within runs f, but returns without it if f takes longer than d and the client reads nothing
// meanwhile.
func (p *session) within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for written := int64(-1); ; {
		select {
		case <-done:
			return
		case <-time.After(d):
			now := p.toClient.written.Load()
			if now == written || p.ctx.Err() != nil {
				return
			}
			written = now
		}
	}
}

// watchClient ends the session when the client stops listening. Reading the client's side is not
// enough to notice that: the other end may be held open, or a server that reads nothing may
// block us before the end of the input.
func (p *session) watchClient() {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for !readerGone(p.cfg.Stdout) {
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
	}
	p.end()
}

// stop ends the server. If we were told to end ourselves, there is little time left, so stop
// signals the server at once and gives it a moment to clean up.
func stop(ctx context.Context, server Peer) process.Exit {
	if p, ok := server.(interface {
		End(context.Context, process.Grace) process.Exit
	}); ok && ctx.Err() != nil {
		return p.End(context.WithoutCancel(ctx), process.Grace{EOF: -1, Term: time.Second})
	}
	err := server.Stop(ctx)
	exit, ok := errors.AsType[process.Exit](err)
	if err != nil && !ok {
		exit.Code = 1
	}
	return exit
}

// finish lets the server answer the requests from before the client closed its side.
func (p *session) finish(server Peer) {
	deadline := time.After(p.cfg.Linger)
	judged := make(chan struct{})
	go func() { defer close(judged); p.relay.Wait() }()
	select {
	case <-judged: // calls under judgement still reach the server
	case <-p.serverGone:
		return
	case <-deadline:
		return
	case <-p.ctx.Done():
		return
	}
	_ = server.Stdin().Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for p.client.Waiting() > 0 {
		select {
		case <-tick.C:
		case <-p.serverGone:
			return
		case <-deadline:
			return
		case <-p.ctx.Done():
			return
		}
	}
}

// abandon answers every open request in place of the server.
func (p *session) abandon(clientDone <-chan struct{}) {
	p.failPending()
	p.awaitQuiet(clientDone)
	p.failPending()
}

// awaitQuiet waits until the client falls silent. The client may have written requests before
// it could see that the server is gone, and these must still be read and refused. Silence means
// two looks without a message in between, since after one the processor may just have been late.
func (p *session) awaitQuiet(clientDone <-chan struct{}) {
	deadline := time.After(p.cfg.Linger)
	for seen, quiet := p.taken.Load(), 0; quiet < 2; quiet++ {
		select {
		case <-clientDone:
			return
		case <-deadline:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if taken := p.taken.Load(); taken != seen {
			seen, quiet = taken, -1
		}
	}
}

// failPending answers the requests that the server left open.
func (p *session) failPending() { p.relay.FailAll(p.died()) }

func (p *session) died() string {
	return fmt.Sprintf("the server %s before it answered; a new connection starts it again", p.exit)
}

// isGone reports whether the server's output has ended.
func (p *session) isGone() bool {
	select {
	case <-p.serverGone:
		return true
	default:
		return false
	}
}
