// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package audit grades the input validation of an MCP server in three stages: facts, which a
// probe or a reading of the code brings; weaknesses, in which the facts about one cell meet; and the
// grade, a pure function of the weaknesses.
package audit
