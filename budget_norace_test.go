// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package toolvet_test

import "time"

// grace is how long after its budget a judgement may return.
const grace = 50 * time.Millisecond

// underRace says whether the race detector is on.
const underRace = false
