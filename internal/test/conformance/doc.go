// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package conformance runs the official conformance suite, @modelcontextprotocol/conformance,
// against the conformance server and client of the official Go SDK, directly and with toolvet
// between them: nothing that passes directly may fail then. It has tests alone; docs/conformance.md
// tells what they found.
package conformance
