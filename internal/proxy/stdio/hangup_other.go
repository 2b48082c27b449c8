// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package stdio

import "io"

// readerGone cannot tell here whether somebody reads what is written to w.
func readerGone(io.Writer) bool { return false }
