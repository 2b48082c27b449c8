// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package supervisor

import "syscall"

// Guarded: without adoption, a guard would see no more than the supervisor.
const Guarded = false

func serverAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func adoptOrphans() error { return nil }

func groupGone(group int) bool { return syscall.Kill(-group, 0) != nil }

func signalTree(group int, signal syscall.Signal) { signalGroup(group, signal) }

func terminateParents() {} // nobody takes this role

func duplicate(from, to int) error { return syscall.Dup2(from, to) }
