// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import "github.com/toolvet/toolvet/internal/wire/strictjson"

// Limits bound a message: its length in bytes, its nesting and the length of its
// numbers. A zero field means its default: 16 MiB, 256 levels, 1024 digits.
type Limits = strictjson.Limits

// The levels of a message around its params and around the arguments of a tools/call.
const (
	paramsLevel    = 1
	argumentsLevel = 2
)

var paramsKeys = []string{"name", "arguments", "_meta", "task", "inputResponses", "requestState"}
