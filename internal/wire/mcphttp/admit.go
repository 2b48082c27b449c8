// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"errors"
	"net/http"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// Admit takes a place for a request to an MCP endpoint, until Leave is called. It returns the reason if
// there is no place, if two readers could understand the headers differently, or if MCP has no such
// HTTP method; then it sets the headers that belong to the refusal, and takes no place.
func (r *Room) Admit(w http.ResponseWriter, req *http.Request, owner string) *Bad {
	if why := Ambiguous(req.Header); why != "" {
		return &Bad{http.StatusBadRequest, why}
	}
	switch req.Method {
	case http.MethodPost, http.MethodGet, http.MethodDelete:
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		return &Bad{http.StatusMethodNotAllowed, "the method must be POST, GET or DELETE"}
	}
	if !r.Enter(owner) {
		w.Header().Set("Retry-After", "1")
		return &Bad{http.StatusServiceUnavailable, "too many requests at once: try again later"}
	}
	return nil
}

// Code is the JSON-RPC error code that goes with the status.
func (b *Bad) Code() int {
	if b.Status >= http.StatusInternalServerError {
		return jsonrpc.InternalError
	}
	return jsonrpc.InvalidRequest
}

// CodeOf is the JSON-RPC error code for a message that cannot be decoded.
func CodeOf(err error) int {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return jsonrpc.InvalidRequest
}

// SetEvents sets the headers of an event stream.
func SetEvents(h http.Header) {
	h.Set("Content-Type", Events)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // for proxies that buffer responses
	h.Set("X-Content-Type-Options", "nosniff")
}
