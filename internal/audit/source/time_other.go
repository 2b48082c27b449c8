// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package source

import "time"

// processorTime stands for the time that this process has worked: it counts all time.
func processorTime() time.Duration { return since() }
