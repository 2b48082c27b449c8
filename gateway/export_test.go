// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import "time"

// SetPatience changes how long a list waits for a server.
func (c *Config) SetPatience(d time.Duration) { c.patience = d }

// SetLinger changes how long the connections of a principal outlive its last session.
func (c *Config) SetLinger(d time.Duration) { c.linger = d }
