// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package docstest runs the sessions in the documents and compares their output.
package docstest
