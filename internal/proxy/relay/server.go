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
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/schema"
)

// A Server is one principal's view of a server: its tools and its capabilities. It is safe for
// concurrent use.
type Server struct {
	cfg  Config
	door door.Door

	catalog     catalog
	native      atomic.Pointer[string] // name of the server's own validate tool; nil: none announced
	nativeBatch atomic.Bool            // the server announces a batch tool as well
	greeted     atomic.Bool            // what the server announces is known
	greeting    sync.Mutex             // held while toolvet asks
	free        atomic.Pointer[freeName]
	tasks       taskCalls
	private     privateRequests
	stray       stray
}

// Warm prepares what the first messages need before they come: the metaschema, by which a request's schema is checked, and the
// output layer.
func (s *Server) Warm(ctx context.Context) {
	_, _ = schema.Compile([]byte("{}"), schema.Limits{})
	s.door.Review(ctx, &call.Call{Server: s.cfg.Server}, "", json.RawMessage("{}"))
}

// NewServer returns an empty Server.
func NewServer(cfg Config) (*Server, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, door: door.Door{
		Gate: cfg.Gate, Server: cfg.Server, Point: toolvet.PointProxy, Observer: cfg.Observer, Logger: cfg.Logger, Limits: cfg.Limits,
		Vetted: new(door.Vetted),
	}}
	s.catalog.ttl, s.catalog.owner = cfg.ListTTL, "server "+cfg.Server
	return s, nil
}

// Refused records a client's request that a transport refuses with err. It returns the error to answer with.
func (s *Server) Refused(ctx context.Context, who call.Session, m jsonrpc.Envelope, err error) error {
	return s.door.Refused(ctx, func(map[string]any) *call.Session { return &who }, m, err)
}

// Tool returns the cached definition of a tool of the server, or nil.
func (s *Server) Tool(name string) *call.Tool { return s.catalog.current().Tool(name) }

// Withholds reports whether the gate reviews results or hides tools. If so, nothing unreadable
// may pass to the client.
func (s *Server) Withholds() bool {
	gate := s.cfg.Gate()
	return inside.Of(gate).Reviews() || inside.Of(gate).Hides()
}

// answers reports whether a tool is one of toolvet's own, beside the server's tools.
func (s *Server) answers(name string, tools *call.Catalog) bool {
	method := s.validateName(tools)
	return s.cfg.Validator.Answers(name, method) && (name == method || s.batches(method, tools))
}

// method returns the name of the validate tool of which c is a call, or of whose batch tool, and "" for a call of another
// tool. The handshake names it before the server's tools are known. If the server has a tool of the name, too,
// c is the server's only if it describes no calls: a dry run is never live.
//
// A dry run of a job is a call of the server's own tool, if the server makes jobs: toolvet knows nothing of theirs.
func (s *Server) method(c *call.Call, tools *call.Catalog) string {
	if native := s.native.Load(); native != nil && c.Name == *native && protocol.DescribesJob(c.Arguments, tools.Tool(*native), tools) {
		return ""
	}
	if s.answers(c.Name, tools) {
		return s.validateName(tools)
	}
	if announced := s.announced(); s.cfg.Validator.Answers(c.Name, announced) && (c.Unread != nil || protocol.DescribesCalls(c.Arguments)) {
		return announced
	}
	return ""
}

// announced returns the name of the validate tool in the handshake.
func (s *Server) announced() string {
	if native := s.native.Load(); native != nil {
		return *native
	}
	return s.cfg.ValidateName
}

// batches reports whether toolvet can offer a batch tool. A server with native validation but
// without batches keeps the name of its validate tool, and may have a tool of its own under the
// name of the batch tool.
func (s *Server) batches(method string, tools *call.Catalog) bool {
	return s.native.Load() == nil || s.nativeBatch.Load() || tools.Tool(protocol.BatchName(method)) == nil
}

// validateName returns the name of the validate tool beside the server's tools: the server's own
// if it announces the protocol, else the first free name.
func (s *Server) validateName(tools *call.Catalog) string {
	if native := s.native.Load(); native != nil {
		return *native
	}
	free := s.free.Load()
	if free == nil || free.beside != tools {
		name := protocol.FreeName(s.cfg.ValidateName, func(name string) bool { return tools.Tool(name) != nil })
		free = &freeName{tools, name}
		s.free.Store(free)
	}
	return free.name
}

// A freeName is the name of the validate tool beside some tools.
type freeName struct {
	beside *call.Catalog
	name   string
}

// rehearses reports whether a tool is toolvet's rehearse tool: toolvet must offer it, and the
// server must have no tool of the name.
func (s *Server) rehearses(name string, tools *call.Catalog) bool {
	return s.cfg.Rehearse != nil && name == protocol.RehearseName && tools.Tool(name) == nil
}

// definitions returns toolvet's own tools, which follow the server's in a list.
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

// validation returns the validate tool and the batch tool, except where the server has its own.
func (s *Server) validation(tools *call.Catalog) []protocol.Tool {
	name := s.validateName(tools)
	all := s.cfg.Validator.Definitions(name)
	switch {
	case s.native.Load() == nil && name != s.cfg.ValidateName:
		s.cfg.Logger.Warn("the server has a tool called "+s.cfg.ValidateName+" of its own, or of the name of its batch tool: toolvet's is listed as "+name+
			" and answers dry runs under both names; choose a name with --validate-name", "name", name)
		return all
	case s.native.Load() == nil || tools.Tool(name) == nil: // an announced tool that is not listed
		return all
	case s.nativeBatch.Load() && tools.Tool(protocol.BatchName(name)) != nil:
		return nil
	case !s.batches(name, tools):
		s.cfg.Logger.Warn("the server has a tool called " + protocol.BatchName(name) + " of its own: toolvet's is not listed, and answers batches all the same")
		return nil
	}
	return slices.Clip(all[1:])
}

// privateRequests holds toolvet's own open requests to the server.
type privateRequests struct {
	last  atomic.Int64
	byKey sync.Map // id key -> chan jsonrpc.Envelope
}

// begin returns the id of a new request, and the channel for its answer.
func (p *privateRequests) begin(prefix string) (id json.RawMessage, answer chan jsonrpc.Envelope) {
	id = strconv.AppendQuote(nil, prefix+strconv.FormatInt(p.last.Add(1), 10))
	answer = make(chan jsonrpc.Envelope, 1)
	p.byKey.Store(jsonrpc.IDKey(id), answer)
	return id, answer
}

func (p *privateRequests) end(id json.RawMessage) { p.byKey.Delete(jsonrpc.IDKey(id)) }

// deliver passes a copy of an answer to the waiting requester.
func (p *privateRequests) deliver(key string, m jsonrpc.Envelope) {
	if answer, ok := p.byKey.LoadAndDelete(key); ok {
		answer.(chan jsonrpc.Envelope) <- jsonrpc.Envelope{Result: slices.Clone(m.Result), Error: slices.Clone(m.Error)}
	}
}

// ErrServerGone is the error of [Link.Ask] if the server is gone. The goroutine that sees the
// server go answers the open requests; other callers need not.
var ErrServerGone = errors.New("the server is gone")
