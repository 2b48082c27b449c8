// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package install

import "os"

func keepOwner(*os.File, os.FileInfo) error { return nil }
