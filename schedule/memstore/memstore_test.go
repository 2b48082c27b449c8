// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package memstore_test

import (
	"testing"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/memstore"
	"github.com/toolvet/toolvet/schedule/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) func() schedule.Store {
		s := memstore.New()
		return func() schedule.Store { return s }
	})
}
