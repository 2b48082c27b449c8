// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"crypto/sha256"
	"encoding/binary"
)

// A Key identifies the caller and the tool of a call. Fields may hold any bytes.
type Key struct {
	Identity      string // as authenticated; "" without authentication, and all such callers share it
	Session       string // within the store: without sessions, anything that distinguishes callers
	Server        string
	Tool          string // or the method of another request
	ClientAddress string // without the port: each connection would have limits of its own

	// Validation marks a dry run. The same limits hold for dry runs, in accounts of their own.
	Validation bool

	// Request marks a request other than tools/call, and Implied one that only limits hold for that
	// name it.
	Request, Implied bool
}

// An Account identifies an account of a limit: it is a hash of the parts of the key in Limit.Per.
type Account [sha256.Size]byte

// account hashes the parts of k in per. It hashes the length before each part, and per itself, so that different keys
// have different hashes.
func (k Key) account(per dimensionSet) Account {
	if k.Request {
		k.Tool = "request " + k.Tool // a tool's name holds no space
	}
	kind := byte(0)
	if k.Validation {
		kind = 1
	}
	buf := append(make([]byte, 0, 256), byte(per), kind)
	for d, part := range [...]string{Identity: k.Identity, Session: k.Session, Server: k.Server, Tool: k.Tool, ClientAddress: k.ClientAddress} {
		if per.has(Dimension(d)) {
			buf = binary.AppendUvarint(buf, uint64(len(part)))
			buf = append(buf, part...)
		}
	}
	return sha256.Sum256(buf)
}

// A dimensionSet has a bit for each dimension.
type dimensionSet uint8

func newDimensionSet(list []Dimension) dimensionSet {
	if list == nil {
		list = []Dimension{Identity, Server, Tool}
	}
	var set dimensionSet
	for _, d := range list {
		set |= 1 << d
	}
	return set
}

func (s dimensionSet) has(d Dimension) bool { return s&(1<<d) != 0 }
