// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redactionmarker_test

import (
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/redactionmarker"
)

func TestCheck(t *testing.T) { checktest.Run(t, redactionmarker.Check, "testdata") }
