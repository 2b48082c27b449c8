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
	"github.com/toolvet/toolvet/internal/protocol"
)

// A key identifies requests with the same verdict of a Gate: a hash of the server, the tool's whole
// definition, the levels, the session and the arguments.
type key [sha256.Size]byte

// maxKeyed bounds the arguments of requests in the cache, because comparing larger ones takes too long.
const maxKeyed = 256 << 10

// keyOf returns the key of a request, or false if its verdict must not be kept: the answer for an
// unknown tool depends on the known ones.
func keyOf(q *protocol.Request) (key, bool) {
	c := q.Call
	if c.Unread != nil || c.Tool == nil || c.Tool.Fault != nil || len(c.Raw) > maxKeyed {
		return key{}, false
	}
	arguments, err := json.Marshal(c.Arguments) // sorts names, and keeps the spelling of numbers
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

// sessionKey has the parts of a session that checks and rules can read. It only notes whether there is
// a trace, because each request has another.
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

// hash writes the length before each part, so that different parts never collide.
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
