// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/process"
	"github.com/toolvet/toolvet/protocol"
)

// Config says what to put the proxy in front of. Command and Gate are required.
type Config struct {
	Command []string // the server's program and arguments
	// Gate returns the gate that judges from now on. It is called for each call, so that
	// a policy can change while the server runs; it must not return nil.
	Gate func() *toolvet.Gate

	Server       string // the server's name in logs and policies; may be ""
	ValidateName string // name of the validate tool; default protocol.ToolName
	// Session is what is known of who calls before anything is said: the subject, the
	// transport. What the client tells of itself is added.
	Session call.Session

	// Limits bound each message in both directions. The defaults are those of
	// call.Limits, but 64 MiB a message.
	Limits call.Limits
	// ServerTimeout bounds what the proxy asks the server itself: a list of its
	// tools, its own validation. Default 10 s. Calls of the client are not bounded.
	ServerTimeout time.Duration
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
	// Observer is told what becomes of calls; nil: nobody is.
	Observer Observer
	// Logger is told of refusals and faults: tool, check and place, never a value.
	// Nil discards.
	Logger *slog.Logger
}

// maxMessage is the default limit of a message: results may hold images.
const maxMessage = 64 << 20

func (c Config) withDefaults() Config {
	if c.ValidateName == "" {
		c.ValidateName = protocol.ToolName
	}
	if c.Limits.Bytes <= 0 {
		c.Limits.Bytes = maxMessage
	}
	if c.ServerTimeout <= 0 {
		c.ServerTimeout = 10 * time.Second
	}
	if c.Linger <= 0 {
		c.Linger = 10 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// A session is one run of the proxy: one client, one server.
type session struct {
	cfg    Config
	gate   func() *toolvet.Gate
	limits call.Limits
	log    *slog.Logger

	toClient, toServer *lineWriter

	pending  pendingTable
	catalog  catalog
	caller   caller
	roots    roots
	validate *call.Tool // the definition of the validate tool

	judging sync.WaitGroup // calls that are judged beside the messages that follow them

	private       sync.Map // id key of a request of the proxy's own -> chan call.Envelope
	privateID     atomic.Int64
	privatePrefix string
	meta          atomic.Pointer[json.RawMessage] // _meta of requests since 2026-07-28; nil for older
	native        atomic.Pointer[string]          // name of the server's own validate tool

	taken      atomic.Int64    // messages read from the client
	ctx        context.Context // of the session
	end        func()          // ends the session
	stray      stray
	serverGone chan struct{} // closed when nothing more comes from the server
	exited     chan struct{} // closed when exit is known
	exit       process.Exit  // how the server ended
}

// Run starts the server and stands between it and the client until one of them is
// gone or ctx is done. It returns the server's exit code. The error says that the
// server could not be started.
func Run(ctx context.Context, cfg Config) (int, error) {
	p, err := newSession(cfg)
	if err != nil {
		return 0, err
	}
	server, err := process.Start(process.Command{
		Args: p.cfg.Command, Stderr: p.cfg.Stderr, Supervisor: p.cfg.Supervisor,
	})
	if err != nil {
		return 0, err
	}
	return p.serve(ctx, server), nil
}

func newSession(cfg Config) (*session, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("proxy: no server command")
	}
	if cfg.Gate == nil {
		return nil, errors.New("proxy: no gate")
	}
	cfg = cfg.withDefaults()
	if !protocol.ValidName(cfg.ValidateName) {
		return nil, fmt.Errorf("%q cannot name the validate tool: use 1 to 128 letters, digits, underscores, hyphens and dots", cfg.ValidateName)
	}
	p := &session{
		cfg: cfg, gate: cfg.Gate, limits: cfg.Limits, log: cfg.Logger,
		toClient: newLineWriter(cfg.Stdout), serverGone: make(chan struct{}), exited: make(chan struct{}),
		privatePrefix: "toolvet-" + rand.Text()[:8] + "-",
	}
	p.caller.known.Store(&p.cfg.Session)
	var err error
	p.validate, err = validateTool(cfg.ValidateName, p.limits)
	return p, err
}

func validateTool(name string, limits call.Limits) (*call.Tool, error) {
	definition, err := protocol.NewTool(name).Encode()
	if err != nil {
		return nil, err
	}
	return call.DecodeTool(definition, limits)
}

// A server is a running server: a *process.Process.
type server interface {
	Stdin() io.WriteCloser
	Stdout() io.ReadCloser
	Stop(context.Context, process.Grace) process.Exit
}

// serve moves messages until one side is gone, and then stops the other.
func (p *session) serve(ctx context.Context, server server) int {
	p.ctx, p.end = context.WithCancel(ctx)
	defer p.end()
	p.toServer = newLineWriter(server.Stdin())
	clientDone := make(chan struct{})
	go func() { defer close(clientDone); p.readClient(p.ctx) }()
	go p.readServer(server.Stdout())
	go p.warm()
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

// warm has the output layer ready before the first result comes.
func (p *session) warm() {
	p.look(p.gate(), &call.Call{Server: p.cfg.Server}, "", json.RawMessage("{}"))
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
func stop(ctx context.Context, server server) process.Exit {
	if ctx.Err() == nil {
		return server.Stop(ctx, process.Grace{})
	}
	return server.Stop(context.WithoutCancel(ctx), process.Grace{EOF: -1, Term: time.Second})
}

// finish lets the server answer what the client asked before it closed its side.
func (p *session) finish(server server) {
	deadline := time.After(p.cfg.Linger)
	judged := make(chan struct{})
	go func() { defer close(judged); p.judging.Wait() }()
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
	for p.pending.len() > 0 {
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

func (p *session) failPending() {
	for _, r := range p.pending.all() {
		p.failed(r)
	}
}

// failed answers a request that the server took with it, unless it is answered.
func (p *session) failed(r *request) {
	if p.pending.remove(r) {
		p.answerError(r.id, &call.Error{Code: call.InternalError,
			Message: fmt.Sprintf("the server %s before it answered; start it again", p.exit)})
	}
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
