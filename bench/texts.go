// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/toolvet/toolvet/internal/test/texts"
)

// prose returns prose of a size in bytes, on one line: a shell would take more lines for more commands.
func prose(size int) string {
	return strings.ReplaceAll(strings.Repeat(texts.English, size/len(texts.English)+1)[:size], "\n", " ")
}
