// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSearch has an ordinary user with no time to look, who is told where it was not looked, and with more.
func TestSearch(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser needs no search; TestOrdinaryUser runs this test")
	}
	_, missed, err := writable(Config{Dir: "/", Search: time.Nanosecond})
	if err != nil || !slices.Equal(missed, []string{"/"}) {
		t.Errorf("without time: missed %q, %v", missed, err)
	}
	s := start(t, Config{Dir: "/", Args: []string{"/bin/true"}, Search: time.Nanosecond})
	if _, gaps := s.Layers(); !slices.ContainsFunc(gaps, func(g Gap) bool { return g.Path == "/" && strings.Contains(g.Why, "no time") }) {
		t.Errorf("got the gaps %v", gaps)
	}
	began := time.Now()
	dirs, missed, err := writable(Config{Dir: "/", Search: time.Minute})
	if err != nil || len(missed) > 0 {
		t.Errorf("with time: missed %q, %v", missed, err)
	}
	t.Logf("%v, %d places", time.Since(began), len(dirs))
}
