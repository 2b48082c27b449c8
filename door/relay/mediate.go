// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/protocol"
)

// Config says how to mediate. Gate is required.
type Config struct {
	// Gate returns the gate that judges from now on. It is called for each call, so that
	// a policy can change while the server runs; it must not return nil.
	Gate func() *toolvet.Gate

	Server       string // the server's name in logs and policies; may be ""
	ValidateName string // name of the validate tool; default protocol.ToolName
	// Validation says what the validate tool may do. Its Limits are those below.
	Validation validate.Config
	// Validator answers calls of the validate tool, for all servers of this Config: so a
	// task is found again by whoever began it. Default: one by Validation.
	Validator *validate.Validator

	// Rehearse makes calls, one after the other, where they can do no harm, and returns a CallToolResult that tells
	// what they did. Nil: the tool "rehearse" is not offered.
	Rehearse func(context.Context, []*call.Call) (json.RawMessage, error)

	// Limits bound each message in both directions. The defaults are those of
	// call.Limits, but 64 MiB a message.
	Limits call.Limits
	// ServerTimeout bounds what the proxy asks the server itself: a list of its
	// tools, its own validation. Default 10 s. Calls of the client are not bounded.
	ServerTimeout time.Duration
	// PrivatePrefix starts the ids of what the proxy asks the server itself. Default: a
	// random one, which no client guesses.
	PrivatePrefix string

	// ListTTL is how long a list of tools counts whose server does not say so itself.
	// Default: until the server says that it has changed.
	ListTTL time.Duration
	// Forgets says that requests are forgotten which the server may still have, as over HTTP
	// when a client is cut off. An answer to a request that is not known is dropped, since it
	// could not be changed, and a cancellation of one is passed on.
	Forgets bool

	// Observer is told what becomes of calls; nil: nobody is.
	Observer toolvet.Observer
	// Logger is told of refusals and faults: tool, check and place, never a value.
	// Nil discards.
	Logger *slog.Logger
}

// maxMessage is the default limit of a message: results may hold images.
const maxMessage = 64 << 20

// WithDefaults is c with the defaults of what it leaves open. The error says what is wrong
// with the rest.
func (c Config) WithDefaults() (Config, error) {
	if c.Gate == nil {
		return c, errors.New("no gate")
	}
	if c.ValidateName == "" {
		c.ValidateName = protocol.ToolName
	}
	if !protocol.ValidMethod(c.ValidateName) {
		return c, fmt.Errorf("%q cannot name the validate tool: use 1 to 122 letters, digits, underscores, hyphens and dots", c.ValidateName)
	}
	if c.Limits.Bytes <= 0 {
		c.Limits.Bytes = maxMessage
	}
	if c.ServerTimeout <= 0 {
		c.ServerTimeout = 10 * time.Second
	}
	if c.PrivatePrefix == "" {
		c.PrivatePrefix = "toolvet-" + rand.Text()[:8] + "-"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	var err error
	if c.Validator == nil {
		c.Validation.Limits = c.Limits
		c.Validator, err = validate.New(c.Validation)
	}
	return c, err
}

// A Server is what one principal knows of a server: its tools, and what it announces. It
// may be used concurrently.
type Server struct {
	cfg       Config
	gate      func() *toolvet.Gate
	limits    call.Limits
	log       *slog.Logger
	validator *validate.Validator
	rehearse  *call.Tool // the definition of the tool that rehearses; nil: it is not offered

	catalog     catalog
	native      atomic.Pointer[string] // name of the server's own validate tool
	nativeBatch atomic.Bool            // the server has a batch tool of its own, too

	tasks taskCalls

	private   sync.Map // id key of a request of the proxy's own -> chan call.Envelope
	privateID atomic.Int64
	stray     stray
}

// NewServer returns a server of which nothing is known yet.
func NewServer(cfg Config) (*Server, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, gate: cfg.Gate, limits: cfg.Limits, log: cfg.Logger, validator: cfg.Validator}
	s.catalog.ttl = cfg.ListTTL
	if cfg.Rehearse != nil {
		definition, err := protocol.NewRehearseTool().Encode()
		if err != nil {
			return nil, err
		}
		if s.rehearse, err = call.DecodeTool(definition, cfg.Limits); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// A Client is one client of a server, with its requests that are not answered yet: of
// those, each id stands for one. It may be used concurrently.
type Client struct {
	*Server
	pending pendingTable
	caller  caller
	roots   roots
	meta    atomic.Pointer[json.RawMessage] // _meta of requests since 2026-07-28; nil for older
}

// NewClient returns a client of which this is known before it says anything: the subject,
// the transport. What it tells of itself is added.
func (s *Server) NewClient(known call.Session) *Client {
	c := &Client{Server: s}
	c.caller.known.Store(&known)
	return c
}

// Apart has the client learn of the server by itself from now on, because what it sees in
// this session may differ from what others do. No message may be under way but the one that
// tells.
func (c *Client) Apart(session string) (err error) {
	c.Server, err = NewServer(c.cfg)
	c.caller.learn(func(s *call.Session) { s.ID = session })
	return err
}

// Identify changes who makes the calls from now on, but not what the client told of itself.
func (c *Client) Identify(who call.Session) {
	c.caller.learn(func(s *call.Session) {
		s.Subject, s.Claims, s.Transport, s.ClientAddress = who.Subject, who.Claims, who.Transport, who.ClientAddress
	})
}

// Close forgets the requests that are not answered: the client is gone.
func (c *Client) Close() {
	for _, r := range c.pending.all() {
		c.Forget(r)
	}
}

// Tool is a tool of the server as it is known now, or nil.
func (s *Server) Tool(name string) *call.Tool { return s.catalog.current().Tool(name) }

// Withholds reports whether the gate has a say in what the client gets of the server, so that
// nothing may pass that cannot be read.
func (s *Server) Withholds() bool { return s.gate().Reviews() || s.gate().Hides() }

// Waiting is how many requests of the client are not answered yet.
func (c *Client) Waiting() int { return c.pending.len() }

// A Link is the way that the messages of an exchange take. Its methods are called
// concurrently, and may keep a line only until they return.
type Link interface {
	// Answer gives the client an answer of toolvet's own. The code is that of a JSON-RPC
	// error, and 0 for a result.
	Answer(line []byte, code int)
	// Notify gives the client a notification of toolvet's own, ahead of the answer to the
	// request that it tells of, if there is a way.
	Notify(line []byte)
	// Forward gives the server a request of the client. If the server will not answer
	// it, the link says so with [Exchange.Fail].
	Forward(r *Request, line []byte)
	// Send gives the server a message that waits for no answer, if the server takes it.
	Send(line []byte)
	// Ask gives the server a request of toolvet's own, whose answer comes through
	// FromServer. An error says that none will come. Ask may return when ctx is done,
	// which it is as soon as the answer has come.
	Ask(ctx context.Context, line []byte) error
}

// A Reader is a Link that itself reads the messages which it gives to [Exchange.FromClient].
type Reader interface {
	// Later runs work, which may take its time, and sees to it that the messages that follow
	// need not wait for it. It is called by FromClient, which needs its line no more.
	Later(work func())
}

// An Exchange is a client's messages that take one way to the server, and their answers.
type Exchange struct {
	*Client
	link    Link
	ctx     context.Context
	judging sync.WaitGroup // calls that are judged beside the messages that follow them
}

// NewExchange begins an exchange. Ctx bounds what may outlive a message: listings of the
// tools, which others may wait for, and reviews.
func (c *Client) NewExchange(ctx context.Context, link Link) *Exchange {
	return &Exchange{Client: c, ctx: ctx, link: link}
}

// Wait waits until the messages so far have been answered or forwarded.
func (p *Exchange) Wait() { p.judging.Wait() }

// Warm has the output layer ready before the first result comes.
func (p *Exchange) Warm() {
	p.look(p.gate(), &call.Call{Server: p.cfg.Server}, "", json.RawMessage("{}"))
}

// FailAll is [Exchange.Fail] for every request of the client that is not answered yet.
func (p *Exchange) FailAll(message string) {
	p.Fail(call.InternalError, message, p.pending.all()...)
}
