// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package wordset

import (
	"sync"
	"testing"
)

func TestHas(t *testing.T) {
	t.Parallel()
	s := New("select where\n\tand")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for word, want := range map[string]bool{"select": true, "where": true, "and": true, "": false, "selec": false, "select where": false, "SELECT": false} {
				if got := s.Has(word); got != want {
					t.Errorf("%q: got %v, want %v", word, got, want)
				}
			}
		})
	}
	all.Wait()
	if (*Set)(nil).Has("") || New("").Has("") {
		t.Error("an empty set has a word")
	}
}
