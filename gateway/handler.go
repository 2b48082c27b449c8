// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// A HandlerConfig configures a [Handler]. Caller is required.
type HandlerConfig struct {
	// Caller authenticates a request, and says whose it is, by Subject and Claims at least. The Handler sets
	// Authenticated and Transport. Sessions and connections belong to one Subject with its Claims
	// (see [call.Session.Principal]). After an error the answer is 401 Unauthorized, and the log has the error. A
	// session without a Subject counts as one. Caller runs once for each request, concurrently.
	Caller func(*http.Request) (call.Session, error)
	// Hosts are the names in the Host header that clients use, without a port. Addresses of the machine
	// and, over a loopback address, localhost need none. Other hosts are refused, as web pages in a
	// browser might reach the endpoint by them.
	Hosts []string
	// Origins are web origins, such as https://app.example.org, whose pages may send requests.
	Origins     []string
	MaxSessions int // of one principal; of all, ten times as many; default 100
}

// A Handler is an MCP endpoint over Streamable HTTP in front of a [Gateway]. Its methods may be called
// concurrently.
type Handler struct {
	guarded http.Handler
	front   *streamable.Front
}

// Handler makes an [http.Handler] for the MCP endpoint. [Handler.Close] ends its sessions; close it before the
// Gateway. An error is one of the configuration.
func (g *Gateway) Handler(cfg HandlerConfig) (*Handler, error) {
	if cfg.Caller == nil {
		return nil, errors.New("a handler of a gateway needs a Caller: without one it would serve anybody")
	}
	h := &Handler{front: streamable.NewFront(streamable.FrontConfig{
		Serve: g.Serve, Refused: innerGateway{g}.Refused, Caller: callerIn, MaxSessions: cfg.MaxSessions, Limits: g.cfg.Limits, Logger: g.log,
	})}
	var err error
	h.guarded, err = httpguard.Guard{Hosts: cfg.Hosts, Origins: cfg.Origins}.Handler(authenticated(cfg.Caller, g.log, h.front))
	if err != nil {
		return nil, err
	}
	return h, nil
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.guarded.ServeHTTP(w, r) }

// Close ends all sessions of the Handler, and waits for their end until ctx is done. Call [Gateway.Drain] before it to have
// requests under way answered.
func (h *Handler) Close(ctx context.Context) { h.front.Close(ctx) }

type callerKey struct{}

// authenticated refuses requests without a caller, and gives the others theirs.
func authenticated(caller func(*http.Request) (call.Session, error), log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := caller(r)
		if err == nil && who.Subject == "" {
			err = errors.New("Caller returns a session without a Subject, which would be anybody's")
		}
		if err != nil {
			log.Warn("a request is refused: its caller is not authenticated", "err", err)
			http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
			return
		}
		who.Authenticated, who.Transport = true, "http"
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
}

// callerIn returns the caller of a request that is authenticated. The principal alone tells sessions apart: a client may
// change its address.
func callerIn(r *http.Request) (identity string, who call.Session) {
	who, _ = r.Context().Value(callerKey{}).(call.Session)
	return who.Principal(), who
}
