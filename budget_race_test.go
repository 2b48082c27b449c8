// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package toolvet_test

import "time"

// grace under the race detector, with which programs take ten times as long: what is
// promised is what holds without.
const grace = 500 * time.Millisecond

// underRace says whether the race detector is on.
const underRace = true
