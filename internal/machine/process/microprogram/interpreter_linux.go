// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package microprogram

import "unsafe"

// interpreterRoom is more than the interpreter has: an assembler does not tell the length of code. Nothing runs the rest.
const interpreterRoom = 256

// interpreterStart returns the address of the interpreter in this program. Nothing calls it there.
func interpreterStart() unsafe.Pointer

func interpreter() []byte { return unsafe.Slice((*byte)(interpreterStart()), interpreterRoom) }
