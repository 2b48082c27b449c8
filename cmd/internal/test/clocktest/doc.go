// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package clocktest tests "toolvet schedule serve" on an emulated machine, because it sets the clock
// and puts the machine to sleep. QEMU advances the machine's time with its work, so an idle minute
// takes no time. Package guest is the machine's first program; the package has no other code.
package clocktest
