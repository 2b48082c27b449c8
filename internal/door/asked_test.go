// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"fmt"
	"strings"
	"testing"
)

// TestMayAsk holds that no spelling of inputRequests is ruled out, wherever it stands.
func TestMayAsk(t *testing.T) {
	t.Parallel()
	const name = "inputRequests"
	spelt := []string{name, strings.ToUpper(name), strings.ToLower(name), "inputReque\u017ft\u017f"}
	for i := range name {
		spelt = append(spelt, name[:i]+fmt.Sprintf(`\u%04x`, name[i])+name[i+1:], name[:i]+strings.ToUpper(name[i:i+1])+name[i+1:],
			name[:i]+fmt.Sprintf(`\u%04X`, strings.ToUpper(name[i : i+1])[0])+name[i+1:])
	}
	for _, s := range spelt {
		for _, before := range []string{`{"`, `{"q":"Q","qq`, strings.Repeat("qQ", 9)} {
			if !mayAsk([]byte(before + s + `":{}}`)) {
				t.Errorf("%s%s is ruled out", before, s)
			}
		}
	}
	for _, s := range []string{"", "q", "Q", "eq", "inputReq", "inputRequ", `{"content":[{"text":"quick requests"}]}`, strings.Repeat("q", 100)} {
		if mayAsk([]byte(s)) {
			t.Errorf("%q may ask", s)
		}
	}
}
