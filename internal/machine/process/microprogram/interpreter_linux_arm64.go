// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package microprogram

const machine = 183 // EM_AARCH64
