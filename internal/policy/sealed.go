// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

// A Sealed is a policy in the hands of a program outside toolvet, which passes it on and cannot look inside.
type Sealed struct{ content *Policy }

// Seal returns p for a program; nil for nil.
func Seal(p *Policy) *Sealed {
	if p == nil {
		return nil
	}
	return &Sealed{p}
}

// Unseal returns the content of s; nil for nil and for the zero Sealed.
func Unseal(s *Sealed) *Policy {
	if s == nil {
		return nil
	}
	return s.content
}
