// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package telemetry

import "time"

// A Policy describes the policy in force.
type Policy struct {
	Digest  string    // SHA-256 of its text, in hexadecimal digits
	Since   time.Time // when it came into force
	Refused bool      // its file holds something else by now, and that is not in force
}

// A PolicyObserver is an Observer that also exports which policy is in force. It calls read whenever it exports, from
// any goroutine. Only one policy can be in force: the last call of Policy counts.
type PolicyObserver interface {
	Observer
	Policy(read func() Policy)
}

// ExportPolicy calls Policy of an Observer, or of the Observers that it joins, if it is a PolicyObserver.
func ExportPolicy(o Observer, read func() Policy) {
	if all, ok := o.(joined); ok {
		for _, one := range all {
			ExportPolicy(one, read)
		}
		return
	}
	if p, ok := o.(PolicyObserver); ok {
		p.Policy(read)
	}
}
