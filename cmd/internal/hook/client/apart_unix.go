// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package client

import "syscall"

// apart starts a process in a session of its own, so that the end of the host's does not end it.
var apart = &syscall.SysProcAttr{Setsid: true}
