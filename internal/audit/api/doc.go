// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package api stands in for the HTTP APIs that an audited server asks. Its answers come from a file: a recording (HTTP
// Archive), or a description (OpenAPI 3), from whose schemas it makes plausible values. Without a file they are made up from the
// request alone ([Plausible]). A tool with a weakness behind such a request then gets as far as its weakness.
package api
