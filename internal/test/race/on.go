// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package race

// Enabled says whether the race detector is on.
const Enabled = true
