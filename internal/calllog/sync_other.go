// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package calllog

// ignoreUnsupported drops the error: this system cannot sync directories.
func ignoreUnsupported(error) error { return nil }
