// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/audit/source"
)

// TestWithin holds that the time of a reading is the work of this process, and that work ends it long before the bound on all time.
func TestWithin(t *testing.T) {
	ended := func() error {
		ctx, stop := source.Options{Time: 20 * time.Millisecond}.Within(t.Context())
		defer stop()
		for ctx.Err() == nil {
		}
		return ctx.Err()
	}
	err := ended()
	for range 100 {
		if errors.Is(err, context.Canceled) {
			break
		}
		err = ended() // on a very busy machine, the bound on all time may come first
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("work did not end it: %v", err)
	}

	ctx, stop := source.Options{Time: 20 * time.Millisecond}.Within(t.Context())
	defer stop()
	<-ctx.Done() // in the end, waiting does, too
}
