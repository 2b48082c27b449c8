// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package stdio

import "io"

// readerGone cannot detect a closed reader on this system.
func readerGone(io.Writer) bool { return false }
