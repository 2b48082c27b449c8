// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package server offers a scheduler as an MCP server, built on the official SDK and guarded by toolvet's own layers.
// The schemas of its tools refuse bad input. The check "schedule-job" refuses jobs that could not work.
// "schedule-name" refuses names of missing jobs. Both do so in a dry run (the tool validate) and in a live call.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/schedule"
)

// A Config configures a [Server]. Scheduler and Gate are required.
type Config struct {
	Scheduler *schedule.Scheduler
	// Name is the name of this server in the policy.
	Name string
	// Gate makes the gate for the server's own tools, with these options in addition to its own, among them
	// toolvet.WithServer with Name. It is called when a session begins.
	Gate func(...toolvet.Option) (*toolvet.Gate, error)
	// Permit decides whether a client may read a job or a run as a resource. That is equivalent to a call of "get" or
	// "retrieve". Nil permits everything.
	Permit func(ctx context.Context, who call.Session, tool string, arguments any) error
	// Apart keeps owners apart: a session sees and changes only the jobs and runs of its own subject. It is for doors
	// that authenticate, and is called when a session begins. Nil means no.
	Apart  func() bool
	Logger *slog.Logger // nil discards
}

// A Server makes an MCP server for each session.
type Server struct {
	cfg      Config
	sessions sessions
}

// New makes a server.
func New(cfg Config) *Server {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg}
}

// apart reports whether to keep owners apart.
func (s *Server) apart() bool { return s.cfg.Apart != nil && s.cfg.Apart() }

// Serve serves one session until in ends or ctx is done. New jobs belong to who.
func (s *Server) Serve(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
	d := &door{Server: s, who: &who, jobs: s.cfg.Scheduler}
	if d.apart = s.apart(); d.apart {
		d.jobs = s.cfg.Scheduler.Of(who.Subject)
	}
	server, err := d.server()
	if err != nil {
		return err
	}
	defer s.sessions.add(server, d)()
	l := newLedger(ctx, in, out)
	err = server.Run(ctx, &mcp.IOTransport{Reader: l, Writer: l})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// A door is the MCP server of one session.
type door struct {
	*Server
	who   *call.Session
	apart bool                // it sees only its own jobs
	jobs  *schedule.Scheduler // limited to the session's view
}

func (d *door) server() (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "toolvet-schedule", Version: toolvet.Version}, &mcp.ServerOptions{
		//lint:ignore SA1019 see Server.Alert
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
	})
	gate, err := d.cfg.Gate(toolvet.WithMoreChecks(NewCheck(d.jobs), newNameCheck(d.jobs)), toolvet.WithTimeout(time.Minute),
		toolvet.WithCaller(*d.who))
	if err != nil {
		return nil, err
	}
	if err := mcpgate.Install(server, gate, mcpgate.WithLogger(d.cfg.Logger)); err != nil {
		return nil, err
	}
	validate, err := d.validateJobs()
	if err != nil {
		return nil, err
	}
	server.AddReceivingMiddleware(validate)
	handlers := map[string]handler{
		"create": d.create, "update": d.update, "list": d.list, "get": d.get, "delete": d.delete, "pause": d.pause,
		"resume": d.resume, "trigger": d.trigger, "executions": d.executions, "retrieve": d.retrieve,
		"cancel": d.cancel, "replay": d.replay,
	}
	tools, err := definitions()
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		server.AddTool(t, d.handle(handlers[t.Name]))
	}
	d.resources(server)
	return server, nil
}

// A handler does the work of a tool. Its answer is a JSON object.
type handler func(ctx context.Context, arguments json.RawMessage) (any, error)

func (d *door) handle(h handler) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := h(ctx, r.Params.Arguments)
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: explain(err)}}}, nil
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
	}
}

// explain describes an error, and how to mend it.
func explain(err error) string {
	var refused *schedule.RefusedError
	if errors.As(err, &refused) && len(refused.Proposal.Suggestions) > 0 {
		return err.Error() + "\n" + strings.Join(refused.Proposal.Suggestions, "\n")
	}
	return err.Error()
}

// decode reads arguments. The gate has judged them already.
func decode(arguments json.RawMessage, into any) error {
	if len(arguments) == 0 {
		return nil
	}
	err := json.Unmarshal(arguments, into)
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) {
		return errors.New(jobspec.Misfit(misfit))
	}
	if err != nil {
		return fmt.Errorf("the arguments cannot be read: %w", err)
	}
	return nil
}
