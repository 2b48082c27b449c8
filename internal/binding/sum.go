// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/toolvet/toolvet/call"
)

// A Sum identifies calls with the same verdict of a Gate: a hash of the server, the tool's whole definition, the session
// and the arguments.
type Sum [sha256.Size]byte

// MaxArguments bounds the arguments of calls with a Sum, in bytes, because comparing larger ones takes too long.
const MaxArguments = 256 << 10

// SumOf returns the Sum of a call, or false if its verdict holds for nothing else: the answer for an unknown tool depends
// on the known ones.
func SumOf(c *call.Call) (Sum, bool) {
	if c.Unread != nil || c.Tool == nil || c.Tool.Fault != nil || len(c.Raw) > MaxArguments {
		return Sum{}, false
	}
	arguments, err := json.Marshal(c.Arguments) // sorts names, and keeps the spelling of numbers
	if err != nil {
		return Sum{}, false
	}
	session, err := sessionText(c.Session)
	if err != nil {
		return Sum{}, false
	}
	return Hash([]byte(c.Server), []byte(c.Name), c.Tool.Raw, session, arguments), true
}

// sessionText has the parts of a session that checks and rules can read, but for the trace, which is another in each
// request.
func sessionText(s *call.Session) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	known := *s
	known.ID, known.ClientName, known.ClientVersion, known.Traceparent = "", "", "", ""
	return json.Marshal(known)
}

// Hash returns the SHA-256 of parts. It writes the length before each, so that different parts never collide.
func Hash(parts ...[]byte) Sum {
	h := sha256.New()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	return Sum(h.Sum(nil))
}
