// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package serving gives toolvet's daemon the side of a gateway that programs do not need.
package serving

import (
	"context"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A Gateway is what the daemon asks a gateway.Gateway.
type Gateway interface {
	// Names returns the names of the servers, in order.
	Names() []string
	// Draining reports whether new requests are refused.
	Draining() bool
	// EndIdle closes the connections of a principal that no session uses, and so ends the processes of their servers.
	// The principal "" is anybody; see call.Session.Principal. It returns false if there are no such connections.
	EndIdle(principal string) bool
	// Refused records a client's request that a transport refuses with err. It returns the error to answer with.
	Refused(ctx context.Context, who call.Session, m jsonrpc.Envelope, err error) error
}

// Of returns the inner side of g.
func Of(g *gateway.Gateway) Gateway { return g.Inside().(Gateway) }
