// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/protocol"
)

// A Server is what one principal knows of a server: its tools, and what it announces. It
// is safe for concurrent use.
type Server struct {
	cfg  Config
	door door.Door

	catalog     catalog
	native      atomic.Pointer[string] // name of the server's own validate tool; nil: it announces none
	nativeBatch atomic.Bool            // the server announces a batch tool as well
	tasks       taskCalls
	private     privateRequests
	stray       stray
}

// NewServer returns a Server that knows nothing yet.
func NewServer(cfg Config) (*Server, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, door: door.Door{
		Gate: cfg.Gate, Server: cfg.Server, Point: toolvet.PointProxy, Observer: cfg.Observer, Logger: cfg.Logger, Limits: cfg.Limits,
	}}
	s.catalog.ttl = cfg.ListTTL
	return s, nil
}

// Unreadable records a message of a client that is refused because of err, if it is a call.
func (s *Server) Unreadable(ctx context.Context, who call.Session, m call.Remnant, err error) {
	if m.Call {
		s.door.Unreadable(ctx, &call.Call{Session: &who}, door.Request{ID: string(m.ID)}, err)
	}
}

// Tool returns a tool of the server as it is known now, or nil.
func (s *Server) Tool(name string) *call.Tool { return s.catalog.current().Tool(name) }

// Withholds reports whether the gate has a say in what the client gets of the server, so that
// nothing may pass that cannot be read.
func (s *Server) Withholds() bool {
	gate := s.cfg.Gate()
	return gate.Reviews() || gate.Hides()
}

// answers reports whether toolvet answers calls of a tool itself, beside the server's tools.
func (s *Server) answers(name string, tools *call.Catalog) bool {
	method := s.validateName(tools)
	return s.cfg.Validator.Answers(name, method) && (name == method || s.batches(method, tools))
}

// batches reports whether there can be a batch tool. A server that validates natively, but
// without batches, keeps the name of its validate tool, and may have another tool under the
// name that the batch tool would get.
func (s *Server) batches(method string, tools *call.Catalog) bool {
	return s.native.Load() == nil || s.nativeBatch.Load() || tools.Tool(protocol.BatchName(method)) == nil
}

// validateName is the name of the validate tool beside the server's tools: that of the
// server's own if it announces the protocol, else the first that is free.
func (s *Server) validateName(tools *call.Catalog) string {
	if native := s.native.Load(); native != nil {
		return *native
	}
	return protocol.FreeName(s.cfg.ValidateName, func(name string) bool { return tools.Tool(name) != nil })
}

// rehearses reports whether a tool is toolvet's rehearse tool: if that is offered, and the
// server has no tool of the name.
func (s *Server) rehearses(name string, tools *call.Catalog) bool {
	return s.cfg.Rehearse != nil && name == protocol.RehearseName && tools.Tool(name) == nil
}

// definitions are the tools that toolvet lists behind the server's own.
func (s *Server) definitions(tools *call.Catalog) []protocol.Tool {
	list := s.validation(tools)
	switch {
	case s.rehearses(protocol.RehearseName, tools):
		list = append(list, protocol.NewRehearseTool())
	case s.cfg.Rehearse != nil:
		s.cfg.Logger.Warn("the server has a tool called " + protocol.RehearseName + " of its own: toolvet's is not offered")
	}
	return list
}

// validation are the validate tool and the batch tool, as far as the server does not have
// them itself.
func (s *Server) validation(tools *call.Catalog) []protocol.Tool {
	name := s.validateName(tools)
	all := s.cfg.Validator.Definitions(name)
	switch {
	case s.native.Load() == nil && name != s.cfg.ValidateName:
		s.cfg.Logger.Warn("the server has a tool called "+s.cfg.ValidateName+" of its own, or of the name of its batch tool: toolvet's is called "+name+
			"; choose a name with --validate-name", "name", name)
		return all
	case s.native.Load() == nil:
		return all
	case s.nativeBatch.Load():
		return nil
	case !s.batches(name, tools):
		s.cfg.Logger.Warn("the server has a tool called " + protocol.BatchName(name) + " of its own, so there are no batches")
		return nil
	}
	return slices.Clip(all[1:])
}

// privateRequests are requests of toolvet's own to the server.
type privateRequests struct {
	last  atomic.Int64
	byKey sync.Map // id key -> chan call.Envelope
}

// begin returns the id of a new request, and where its answer comes.
func (p *privateRequests) begin(prefix string) (id json.RawMessage, answer chan call.Envelope) {
	id = strconv.AppendQuote(nil, prefix+strconv.FormatInt(p.last.Add(1), 10))
	answer = make(chan call.Envelope, 1)
	p.byKey.Store(call.IDKey(id), answer)
	return id, answer
}

func (p *privateRequests) end(id json.RawMessage) { p.byKey.Delete(call.IDKey(id)) }

// deliver hands an answer to whoever asked, in memory of its own.
func (p *privateRequests) deliver(key string, m call.Envelope) {
	if answer, ok := p.byKey.LoadAndDelete(key); ok {
		answer.(chan call.Envelope) <- call.Envelope{Result: slices.Clone(m.Result), Error: slices.Clone(m.Error)}
	}
}

// ErrServerGone is the error of [Link.Ask] if the server is gone, and whoever had messages
// on their way to it is answered by whoever saw it go.
var ErrServerGone = errors.New("the server is gone")
