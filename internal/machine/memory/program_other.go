// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package memory

// returnProgram does nothing: only Linux counts pages of a program's file.
func returnProgram() {}
