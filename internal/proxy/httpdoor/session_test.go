// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"fmt"
	"testing"

	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// A principal that claims to speak any number of versions pushes out what it knows itself.
func TestPeersOfOthersStay(t *testing.T) {
	t.Parallel()
	var known peers
	made := 0
	of := func(owner, version string) {
		t.Helper()
		_, err := known.of(peerKey{owner, version}, func() (*relay.Server, error) { made++; return &relay.Server{}, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	of("ann", "2026-07-28")
	for i := range 2 * maxPeers {
		of("eve", fmt.Sprint(i))
	}
	if len(known.byKey) != 1+maxVersions {
		t.Errorf("%d are kept, want ann's and %d", len(known.byKey), maxVersions)
	}
	before := made
	if of("ann", "2026-07-28"); made != before {
		t.Error("ann's was pushed out")
	}
}
