// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package conformance runs the official conformance suite, @modelcontextprotocol/conformance, against
// the conformance server and client of the official Go SDK, directly and with toolvet between them:
// every check that passes directly must then pass, too. It has only tests; docs/figures/conformance.md has the
// results.
package conformance
