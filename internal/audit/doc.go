// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package audit grades the input validation of an MCP server in three stages: facts, from probes or
// from a reading of the code; weaknesses, which combine the facts about one cell; and the grade, a
// pure function of the weaknesses.
package audit
