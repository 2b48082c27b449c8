// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret_test

import (
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/secret"
)

func TestCheck(t *testing.T) { checktest.Run(t, secret.Check, "testdata") }
