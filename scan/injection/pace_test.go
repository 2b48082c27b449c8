// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// A countdown is a context that is cancelled when it has been looked at so many times.
type countdown struct {
	context.Context
	left, looks int
}

func (c *countdown) Err() error {
	c.looks++
	if c.looks > c.left {
		return context.Canceled
	}
	return nil
}

// TestScanContext holds that a scan of any text looks at its context all the time, and ends
// without signals once that is done.
func TestScanContext(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	texts := hostile()
	for name, sample := range samples() {
		texts[name] = sample
	}
	for name, sample := range texts {
		text := strings.Repeat(sample, 256<<10/len(sample))
		whole := &countdown{context.Background(), 1 << 30, 0}
		signals, err := ScanContext(whole, text)
		if err != nil || len(signals) != len(Scan(text)) {
			t.Errorf("%s: %d signals, %v; without a context %d", name, len(signals), err, len(Scan(text)))
		}
		if most := len(text) / whole.looks; most > 64<<10 {
			t.Errorf("%s: one look at the context in %d bytes", name, most)
		}
		for left := 0; left < whole.looks; left += 1 + whole.looks/20 {
			c := &countdown{context.Background(), left, 0}
			if signals, err := ScanContext(c, text); !errors.Is(err, context.Canceled) || signals != nil {
				t.Fatalf("%s, done after %d looks: %d signals, %v", name, left, len(signals), err)
			}
			if c.looks > left+2 {
				t.Errorf("%s: looked %d times after its end", name, c.looks-left-1)
			}
		}
	}
}
