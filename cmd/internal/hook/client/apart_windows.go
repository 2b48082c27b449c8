// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package client

import "syscall"

// apart starts a process without a console, and outside the group of the host's.
var apart = &syscall.SysProcAttr{CreationFlags: 0x00000008 | syscall.CREATE_NEW_PROCESS_GROUP} // DETACHED_PROCESS
