// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// A key tells requests apart of which one Gate may think differently: a hash of the server,
// the tool's whole definition, the levels, the session and the arguments.
type key [sha256.Size]byte

// maxKeyed bounds the arguments of requests whose verdicts are kept: it takes longer to
// compare larger ones.
const maxKeyed = 256 << 10

// keyOf returns the key of a request, or false if its verdict must not be kept: what is said
// of a tool that is not known depends on those that are.
func keyOf(q *protocol.Request) (key, bool) {
	c := q.Call
	if c.Tool == nil || c.Tool.Fault != nil || len(c.Raw) > maxKeyed {
		return key{}, false
	}
	arguments, err := json.Marshal(c.Arguments) // sorts names, and keeps how numbers are spelt
	if err != nil {
		return key{}, false
	}
	session, err := sessionKey(c.Session)
	if err != nil {
		return key{}, false
	}
	levels := slices.Sorted(slices.Values(q.Levels))
	return hash([]byte(c.Server), []byte(c.Name), c.Tool.Raw, fmt.Append(nil, slices.Compact(levels)), session, arguments), true
}

// sessionKey is what checks and rules can read of a session. Of the trace it is whether there
// is one: it differs with each request.
func sessionKey(s *call.Session) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	known := *s
	known.ID, known.ClientName, known.ClientVersion = "", "", ""
	if known.Traceparent != "" {
		known.Traceparent = "set"
	}
	return json.Marshal(known)
}

// hash puts the length before each part, so that different parts never look alike.
func hash(parts ...[]byte) key {
	h := sha256.New()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	return key(h.Sum(nil))
}
