// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package badinput tests every door over HTTP against the table of docs/figures/bad-input.md: it refuses clients
// that misbehave, and serves another client meanwhile. It has only tests.
package badinput
