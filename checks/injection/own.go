// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"context"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/scan/injection"
)

// Own is the kind of what a policy's own patterns find.
const own = "own-pattern"

// Sizes of the pieces of a text in which patterns of a policy are looked for, in bytes. An expression cannot be stopped, so
// the context is looked at between two pieces. A match of more than the overlap may be missed.
const (
	ownPiece   = 64 << 10
	ownOverlap = 4 << 10
)

// own adds the first matches of the policy's own patterns in a text to signals.
func (o *Options) own(ctx context.Context, signals []injection.Signal, text string) ([]injection.Signal, error) {
	for _, name := range slices.Sorted(maps.Keys(o.Patterns)) {
		re := o.Patterns[name]
		last := 0 // end of the last match
		for start, found := 0, 0; start < len(text) && found < maxOwn; start += ownPiece - ownOverlap {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, at := range re.FindAllStringIndex(text[start:min(start+ownPiece, len(text))], maxOwn-found) {
				if from, to := start+at[0], start+at[1]; to > from && from >= last {
					signals = append(signals, injection.Signal{Kind: own, Pattern: name, Start: from, End: to, Score: enough})
					last = to
					found++
				}
			}
		}
	}
	return signals, nil
}

// maxOwn bounds the matches of a pattern in a text.
const maxOwn = 64
