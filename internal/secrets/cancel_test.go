// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

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
// without matches once that is done.
func TestScanContext(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := standard(t)
	for name, sample := range map[string]string{
		"plain":   "the order was sent to the warehouse\n",
		"escaped": `a \"quoted\" \\n text `,
		"words":   "password: key token secret api_key= ",
		"secrets": "token " + "ghp_" + "x7Kq2mV9sR4tW1zB8nC5dF3gH6jL0pQaYu3E" + "\n",
		"width":   "ｐａｓｓ\u200bｗｏｒｄ ",
	} {
		text := strings.Repeat(sample, 256<<10/len(sample))
		whole := &countdown{context.Background(), 1 << 30, 0}
		matches, err := s.ScanContext(whole, text)
		if err != nil || len(matches) != len(s.Scan(text)) {
			t.Errorf("%s: %d matches, %v; without a context %d", name, len(matches), err, len(s.Scan(text)))
		}
		if most := len(text) / whole.looks; most > lookEvery {
			t.Errorf("%s: one look at the context in %d bytes", name, most)
		}
		for left := 0; left < whole.looks; left += 1 + whole.looks/20 {
			c := &countdown{context.Background(), left, 0}
			if matches, err := s.ScanContext(c, text); !errors.Is(err, context.Canceled) || matches != nil {
				t.Fatalf("%s, done after %d looks: %d matches, %v", name, left, len(matches), err)
			}
		}
	}
}
