// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package uri

import (
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}
