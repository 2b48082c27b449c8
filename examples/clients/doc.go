// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package clients holds configurations of MCP clients. Its only code is a test of them.
package clients
