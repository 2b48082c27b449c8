// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
)

// A Session describes the caller and the transport of a call, as the door knows them. A field
// that is not known is zero. It is read-only once a call has it.
type Session struct {
	// Subject is who makes the calls: the token's subject, or, over stdio, what the flags or
	// the environment say.
	Subject string
	// Authenticated reports whether the door has verified the subject, for example by a token.
	Authenticated bool
	// Claims are the token's other claims, as decoded from JSON.
	Claims map[string]any
	// ID tells sessions of one server apart, for counting: no rule reads it, and it grants
	// nothing. "" where the transport has no sessions, as HTTP since 2026-07-28.
	ID string
	// Transport is how the calls come in: "stdio" or "http".
	Transport string
	// Roots are the absolute directories that the client names as its roots. Nil: it was not
	// asked, or did not say. They are the client's word.
	Roots []string
	// ClientAddress is the IP address of the client, without a port; "" over stdio.
	ClientAddress string
	// ProtocolVersion is the revision of MCP that client and server agreed on.
	ProtocolVersion string
	// Traceparent is the W3C trace context that the call came with.
	Traceparent string

	// Unattended says that a schedule makes the calls, and nobody sees at once how they end. They are refused where
	// something is missing, such as a file to read.
	Unattended bool
	// AllowWarnings makes a warning of the error about something missing, in dry runs and calls of a schedule.
	AllowWarnings bool

	// Asks says that the door asks a person about a call whose verdict is to ask. A door that does not refuses such a call.
	Asks bool

	// ClientName and ClientVersion are what the client calls itself. They may be shown, and
	// must never be trusted: no rule can read them.
	ClientName, ClientVersion string
}

// SessionID is the ID of the session whose Mcp-Session-Id header this is: its digest, since
// who has the header has the session.
func SessionID(header string) string {
	sum := sha256.Sum256([]byte(header))
	return hex.EncodeToString(sum[:])
}

// volatile are the claims that each token of one principal has anew (RFC 7519, section 4.1;
// OpenID Connect Core 1.0, section 2).
var volatile = map[string]bool{"exp": true, "iat": true, "nbf": true, "jti": true, "auth_time": true}

// Principal identifies the owner of anything that a session begins: it is a digest of the subject
// and of what is claimed of it. It stays the same when a token is renewed, and is another when
// the token says other things of its subject, since rules may go by these.
func (s *Session) Principal() string {
	claims := maps.Clone(s.Claims)
	maps.DeleteFunc(claims, func(name string, _ any) bool { return volatile[name] })
	text, err := json.Marshal([]any{s.Subject, claims}) // sorts names
	if err != nil {
		text = fmt.Appendf(nil, "%q%#v", s.Subject, claims) // not decoded from JSON: compare all the same
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
