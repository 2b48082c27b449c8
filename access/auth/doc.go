// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package auth makes a door that listens on the network a protected resource of its own, and
// shows servers credentials of its own.
//
// A [Resource] takes a request if it comes with a bearer token (RFC 6750) that an issuer of the
// policy has signed for it (RFC 9068, RFC 8725), or whose digest the policy holds. It tells
// clients where tokens are to be had (RFC 9728), and who makes a request to what runs behind it
// ([FromContext]). The token itself goes no further: what a client shows toolvet is not for
// servers to see (MCP 2026-07-28, Security Considerations, "Token Passthrough").
//
// A [Transport] shows a server what the policy says, and never what the client has shown.
package auth
