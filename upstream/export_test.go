// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import "context"

// Connect connects to a server if it is not connected.
func (s *Set) Connect(ctx context.Context, server string) error {
	p, err := s.peer(server)
	if err != nil {
		return err
	}
	_, release, err := p.acquire(ctx)
	if err == nil {
		release()
	}
	return err
}

// HasCapability reports whether a server announces a capability. Path has dots between its
// parts.
func (s *Set) HasCapability(ctx context.Context, server, path string) (bool, error) {
	return innerSet{s}.HasCapability(ctx, server, path)
}
