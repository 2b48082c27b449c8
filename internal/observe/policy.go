// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package observe

import "time"

// A Policy describes the policy in force.
type Policy struct {
	Digest  string    // SHA-256 of its text, in hexadecimal digits
	Since   time.Time // when it came into force
	Refused bool      // its file holds something else by now, and that is not in force
}

// A PolicyObserver also exports which policy is in force. It calls read whenever it exports, from any goroutine. Only
// one policy can be in force: the last call of Policy counts.
type PolicyObserver interface {
	Policy(read func() Policy)
}

// ExportPolicy calls Policy of an observer, if it is a PolicyObserver. Joined observers pass it on.
func ExportPolicy(observer any, read func() Policy) {
	if p, ok := observer.(PolicyObserver); ok {
		p.Policy(read)
	}
}
