// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"crypto/sha256"
	"encoding/binary"
)

// A Key says who makes a call, and of what. The fields are taken byte by byte, whatever they
// hold.
type Key struct {
	Identity      string // as authenticated; "" if nobody is, which all such callers share
	Session       string // within the store: without sessions, what else tells callers apart
	Server        string
	Tool          string
	ClientAddress string // without the port, or each connection would have limits of its own

	// Validation says that the call is a dry run, which is counted apart from calls that
	// run: the same limits hold, in accounts of their own.
	Validation bool
}

// An Account is what a limit tells callers apart by: a hash of those parts of the key that it
// counts apart.
type Account [sha256.Size]byte

// account hashes the parts of k that are in per. Each part has its length before it, and per
// is hashed, too, so that different keys never look alike.
func (k Key) account(per dimensionSet) Account {
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
