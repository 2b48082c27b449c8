// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package commandstate

import "io/fs"

// executable reports whether a file may be run by someone.
func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }
