// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package parity holds tests alone: the same calls go through every door, and must get the
// same answers, word for word, and the same records, field by field.
package parity
