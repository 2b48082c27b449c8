// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package busy

import "time"

var start = time.Now()

// spent is the time of the clock: other systems tell no thread its processor time, and their bounds hold as they are.
func spent() time.Duration { return time.Since(start) }
