// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/schedule"
)

// The URIs of jobs and runs.
const (
	jobURI = "schedule://jobs/"
	runURI = "schedule://runs/"
)

// resources offers jobs and runs for reading.
func (d *door) resources(server *mcp.Server) {
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "job", Title: "A job", URITemplate: jobURI + "{job}", MIMEType: "application/json", Description: "a job, by id or name",
	}, d.read(jobURI, "get", "job", func(ctx context.Context, id string) (any, error) {
		j, err := d.jobs.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return viewOf(j), nil
	}))
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "run", Title: "A run", URITemplate: runURI + "{run}", MIMEType: "application/json", Description: "a run with its result, by id",
	}, d.read(runURI, "retrieve", "run", func(ctx context.Context, id string) (any, error) { return d.jobs.GetRun(ctx, id) }))
}

// read returns the answer of a tool with this one argument.
func (d *door) read(prefix, tool, argument string, find func(context.Context, string) (any, error)) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, prefix))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		if d.cfg.Permit != nil {
			if err := d.cfg.Permit(ctx, *d.who, tool, map[string]string{argument: id}); err != nil {
				return nil, err
			}
		}
		v, err := find(ctx, id)
		if errors.Is(err, schedule.ErrNotFound) {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
	}
}

// sessions are the MCP servers in use.
type sessions struct {
	mu  sync.Mutex
	all map[*mcp.Server]*door
}

func (s *sessions) add(server *mcp.Server, d *door) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*mcp.Server]*door{}
	}
	s.all[server] = d
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, server)
	}
}

// Alert sends an alert as notifications/message to all clients that may see its job. It does not wait.
func (s *Server) Alert(a schedule.Alert) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	//lint:ignore SA1019 clients of 2025-11-25 and older hear of alerts by no other way; newer ones may ignore it
	said := &mcp.LoggingMessageParams{Level: "warning", Logger: "toolvet-schedule", Data: a}
	if a.Status == schedule.Healthy {
		said.Level = "notice"
	}
	for server, d := range s.sessions.all {
		if d.apart && a.Owner != d.who.Subject {
			continue
		}
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			for client := range server.Sessions() {
				//lint:ignore SA1019 see above
				_ = client.Log(ctx, said) // the client may be gone
			}
		}()
	}
}
