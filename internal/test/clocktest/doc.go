// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package clocktest tries "toolvet schedule serve" on a machine of its own, whose clock is set
// and which is put to sleep: the clock of this one must not be. QEMU emulates the machine, with
// a time that goes as far as the machine has work to do: a minute in which nothing happens takes
// no time. Package guest is the machine's first program; the package has no other code.
package clocktest
