// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package docstest runs the sessions that the documents show and compares what they
// print.
package docstest
