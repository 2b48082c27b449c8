// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

// StoreOf returns the store of a scheduler.
func StoreOf(s *Scheduler) Store { return s.store }

// Inside returns the inside of a scheduler.
func Inside(s *Scheduler) inside { return s.Inside().(inside) }
