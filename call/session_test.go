// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call_test

import (
	"encoding/json"
	"testing"

	"github.com/toolvet/toolvet/call"
)

func TestPrincipal(t *testing.T) {
	t.Parallel()
	ann := call.Session{Subject: "ann", Claims: map[string]any{"scope": "a b", "exp": json.Number("1"), "jti": "x"}}
	renewed := call.Session{Subject: "ann", Claims: map[string]any{"jti": "y", "exp": json.Number("2"), "iat": json.Number("1"), "scope": "a b"}, ClientAddress: "192.0.2.1"}
	if ann.Principal() != renewed.Principal() {
		t.Error("a renewed token is another principal")
	}
	others := map[string]call.Session{
		"another subject": {Subject: "bob", Claims: ann.Claims},
		"another scope":   {Subject: "ann", Claims: map[string]any{"scope": "a"}},
		"no claims":       {Subject: "ann"},
		"nobody":          {},
	}
	seen := map[string]string{ann.Principal(): "ann"}
	for name, s := range others {
		if other := seen[s.Principal()]; other != "" {
			t.Errorf("%s is the principal of %s", name, other)
		}
		seen[s.Principal()] = name
	}
}
