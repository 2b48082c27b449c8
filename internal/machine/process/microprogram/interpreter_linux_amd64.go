// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package microprogram

const machine = 62 // EM_X86_64
