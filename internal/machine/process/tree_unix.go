// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package process

import "syscall"

// guarded: without adoption, a guard would see no more than the supervisor.
const guarded = false

func serverAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func adoptOrphans() error { return nil }

func groupGone(group int) bool { return !groupAlive(group) }

func signalTree(group int, signal syscall.Signal) { signalGroup(group, signal) }
