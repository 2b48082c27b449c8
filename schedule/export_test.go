// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

// StoreOf is the store that a scheduler works on.
func StoreOf(s *Scheduler) Store { return s.store }
