// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package egress answers the connections that a server makes in a sandbox whose network is
// observed (see package sandbox), so that it is known what would have been sent where:
//
//	authority, err := egress.NewAuthority()
//	e := &egress.Server{Authority: authority, Record: func(a egress.Attempt) { … }}
//	defer e.Close()
//	sandbox.Start(ctx, sandbox.Config{Network: sandbox.Observed, Accept: func(c net.Conn, to sandbox.Target) {
//		e.Serve(c, egress.Target{Host: to.Host(), Port: to.Address.Port()})
//	}, Trust: authority.PEM()})
//
// TLS is terminated with certificates of an authority that is made for one sandbox, and
// whose key never leaves this process. Requests of HTTP/1 and HTTP/2 go to a handler, which
// refuses them, replays what was answered before, or forwards them; connections to hosts that
// are let through ([Server.Pass]) are copied as they are.
package egress
