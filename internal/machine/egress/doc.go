// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package egress answers the connections of a server in a sandbox with an observed network (see package
// sandbox), and records what the server would have sent, and to which hosts:
//
//	authority, err := egress.NewAuthority()
//	e := &egress.Server{Authority: authority, Record: func(a egress.Attempt) { … }}
//	defer e.Close()
//	sandbox.Start(ctx, sandbox.Config{Network: sandbox.Observed, Accept: func(c net.Conn, to sandbox.Target) {
//		e.Serve(c, egress.Target{Host: to.Host(), Port: to.Address.Port()})
//	}, Trust: authority.PEM()})
//
// It terminates TLS with certificates of an authority for one sandbox. The authority's key never leaves
// this process. Requests of HTTP/1 and HTTP/2 go to a handler, which refuses them, replays recorded
// answers, or forwards them. Connections to allowed hosts ([Server.Guard]) are copied unchanged.
package egress
