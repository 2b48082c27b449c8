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

// Config says what to put the proxy in front of. Gate and one of Command and Connect are
// required.
type Config struct {
	relay.Config

	Command []string // the server's program and arguments
	Env     []string // its whole environment; nil inherits ours
	Dir     string   // where it is started; "" is ours
	// Connect reaches the server in another way than by starting Command.
	Connect func() (Peer, error)
	// Session is what is known of who calls before anything is said: the subject, the
	// transport. What the client tells of itself is added.
	Session call.Session
	// Linger is how long the server may go on answering after the client has
	// closed its side and still listens. Default 10 s.
	Linger time.Duration

	// Stdin and Stdout are the client's side. A read of Stdin may be left behind
	// when Run returns. Stderr is handed to the server; nil discards.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Supervisor is the command prefix that starts the server so that nothing of it
	// outlives the proxy; see process.Command. Empty: a weaker guarantee.
	Supervisor []string
}

// A session is one run of the proxy: one client, one server. It is the link between them.
type session struct {
	cfg    Config
	limits call.Limits
	client *relay.Client
	relay  *relay.Exchange

	toClient, toServer *lineWriter

	reading    *reading        // the client's messages, for whoever reads them now
	taken      atomic.Int64    // messages read from the client
	ctx        context.Context // of the session
	end        func()          // ends the session
	serverGone chan struct{}   // closed when nothing more comes from the server
	exited     chan struct{}   // closed when exit is known
	exit       process.Exit    // how the server ended
}

// Run starts the server and stands between it and the client until one of them is
// gone or ctx is done. It returns the server's exit code. The error says that the
// server could not be started.
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
		return nil, err // not a nil *process.Process, which is no nil Peer
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
	return &session{
		cfg: cfg, limits: cfg.Limits, client: server.NewClient(cfg.Session),
		toClient: newLineWriter(cfg.Stdout), serverGone: make(chan struct{}), exited: make(chan struct{}),
	}, nil
}

// A Peer is a running server: a *process.Process, or what looks like one. It ends the
// session by ending its Stdout, and Stop ends it.
type Peer interface {
	Stdin() io.WriteCloser
	Stdout() io.ReadCloser
	Stop(context.Context, process.Grace) process.Exit
}

// serve moves messages until one side is gone, and then stops the other.
func (p *session) serve(ctx context.Context, server Peer) int {
	p.ctx, p.end = context.WithCancel(ctx)
	defer p.end()
	p.toServer = newLineWriter(server.Stdin())
	p.relay = p.client.NewExchange(p.ctx, p)
	clientDone := make(chan struct{})
	p.reading = &reading{in: lines.NewReader(p.cfg.Stdin, p.limits.Bytes), done: clientDone}
	go p.readClient(p.ctx, p.reading)
	go p.readServer(server.Stdout())
	go p.relay.Warm()
	go p.watchClient()
	select {
	case <-clientDone:
		p.finish(server)
	case <-p.serverGone:
	case <-p.ctx.Done():
	}
	p.exit = stop(p.ctx, server)
	close(p.exited)
	p.within(lastWords, func() {
		<-p.serverGone
		p.abandon(clientDone)
	})
	return p.exit.Code
}

// lastWords is how long a client that reads nothing keeps the proxy after its server is
// gone.
const lastWords = 2 * time.Second

// within runs f, and leaves it behind if it takes longer than d and the client takes
// nothing meanwhile.
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

// watchClient ends the session when the client does not listen any more: then nobody
// is left to work for, even if its other end is held open or a server that reads
// nothing keeps us from seeing it close.
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

// stop ends the server. If we are told to end ourselves, whoever told us does not wait
// long: the server is told at once, and has a moment to tidy up.
func stop(ctx context.Context, server Peer) process.Exit {
	if ctx.Err() == nil {
		return server.Stop(ctx, process.Grace{})
	}
	return server.Stop(context.WithoutCancel(ctx), process.Grace{EOF: -1, Term: time.Second})
}

// finish lets the server answer what the client asked before it closed its side.
func (p *session) finish(server Peer) {
	deadline := time.After(p.cfg.Linger)
	judged := make(chan struct{})
	go func() { defer close(judged); p.relay.Wait() }()
	select {
	case <-judged: // calls that wait for a verdict still reach the server
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

// abandon answers every request that the server will not answer any more.
func (p *session) abandon(clientDone <-chan struct{}) {
	p.failPending()
	p.awaitQuiet(clientDone)
	p.failPending()
}

// awaitQuiet waits until the client has nothing more to say: what it wrote before it
// could know that the server is gone is still to be read and refused. Two looks without
// a message between them, so that it is not the processor that was late.
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

// failPending answers the requests that the server took with it.
func (p *session) failPending() { p.relay.FailAll(p.died()) }

func (p *session) died() string {
	return fmt.Sprintf("the server %s before it answered; start it again", p.exit)
}

// isGone reports whether the server can answer nothing any more.
func (p *session) isGone() bool {
	select {
	case <-p.serverGone:
		return true
	default:
		return false
	}
}
