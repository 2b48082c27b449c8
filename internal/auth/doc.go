// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package auth makes a door on the network a protected resource of its own, and presents toolvet's own credentials to
// servers.
//
// A [Resource] accepts a request with a bearer token (RFC 6750) in two cases: an issuer in the policy signed the
// token for this resource (RFC 9068, RFC 8725), or the policy has the token's digest. It tells clients where to get
// tokens (RFC 9728), and it passes the principal on to the handlers behind it ([FromContext]). It does not pass the
// token on: servers must not see a client's token (MCP 2026-07-28, Security Considerations, "Token Passthrough").
//
// A [Transport] presents the credentials from the policy to a server, and never those of the client.
package auth
