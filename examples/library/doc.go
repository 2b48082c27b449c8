// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package library holds eight programs on top of toolvet's packages, as tests: a server with everything, an
// orchestrator, a scheduler, a gateway, a validator, a scanner, a rehearsal, and a single verdict.
package library
