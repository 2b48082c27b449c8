// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// TestBase64OfData holds that base64 of compressed data, as pictures and archives are, gives no orders: in one
// piece or in lines, of both alphabets. Chance leaves nothing to allow. An order in it would be a phrase of three words
// of the lexicon, or a sentence with a plus every twelve characters and a word such as send: fewer than one
// in 10^7 lines.
func TestBase64OfData(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	raw := make([]byte, 1_500_000) // of base64, as much as is scanned in one piece
	for seed := range byte(16) {
		_, _ = rand.NewChaCha8([32]byte{seed}).Read(raw) // never fails
		encoding := base64.StdEncoding
		if seed%4 == 3 {
			encoding = base64.URLEncoding
		}
		text := encoding.EncodeToString(raw)
		if seed%4 == 0 {
			var lines strings.Builder
			for ; len(text) > 76; text = text[76:] {
				lines.WriteString(text[:76] + "\n")
			}
			text = lines.String() + text
		}
		for _, s := range Scan(text) {
			t.Errorf("seed %d: %s at %.100q", seed, s.Pattern, text[s.Start:s.End])
		}
	}
}
