// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// fragments are parts of paths that try to escape.
var fragments = []string{
	"a", "b", "..", "..", ".", "/", "/", `\`, " ", ";", "%2e", "%2e%2e", "%2f", "%5c", "%25", "25", "2e", "2f", "5c",
	"．", "／", "＼", "¥", "₩", "‥", "％", "%c0%ae", "%c0%af", "%c0%aa", "%c0", "%e0%80%ae", "%ff", "%ef%bc%8f", "\u00ad", "½", "é", "\u3000",
}

// TestFragments holds what FuzzConfinement does, of many random paths; some of both
// verdicts, or the test would prove nothing.
func TestFragments(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 2026))
	o := &Options{Within: []string{"/srv/data"}, Base: "/srv/data", Platform: "posix"}
	allowed, refused := 0, 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(fragments[random.IntN(len(fragments))])
		}
		s := b.String()
		if len(o.judge(check.World{}, s)) > 0 {
			refused++
			continue
		}
		allowed++
		if way := escapes(s, "/srv/data", 4); way != nil {
			t.Errorf("%q is allowed, and leads out: %q", s, way)
		}
	}
	if allowed < 1000 || refused < 1000 {
		t.Errorf("%d paths allowed and %d refused: want many of both", allowed, refused)
	}
}
