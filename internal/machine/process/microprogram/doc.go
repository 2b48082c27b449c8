// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package microprogram makes programs that only make system calls, and decide by their results (Linux on amd64 and arm64).
// A process that runs one needs a few pages of memory and no time to start, because it has no runtime. It suits processes
// that wait nearly all the time, and leave rare and difficult work to another program by execveat.
//
// A [Program] is a list of steps. An interpreter of some 30 instructions, in Go's assembly language, runs them. Every operand of a step is
// the address of a 64-bit word, so a step can work with the result of another one. [Program.Image] is an executable file in the format
// ELF with the interpreter and the steps; it goes into a file in memory. No stack is used, so a process may fork.
package microprogram
