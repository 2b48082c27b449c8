// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// key looks like a credential. It is put together here, so that nobody takes this file for a leak.
var key = "AKIA" + "Z7QPLM3KX9TWVB2R"

// TestStored: what is stored has no secrets, in no member and no name; without one it stays as it was, to the byte.
func TestStored(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"content": [ {"type":"text","text":"a < b"} ], "n": 12345678901234567890}`, `"x"`, `null`, `[1.50]`,
	} {
		if got := stored(t.Context(), json.RawMessage(raw)); string(got) != raw {
			t.Errorf("%s becomes %s", raw, got)
		}
	}
	got := string(stored(t.Context(), json.RawMessage(`{"content":[{"type":"text","text":"the key is `+key+` <here>"}],"structuredContent":{"`+key+`":[12345678901234567890,"`+key+`"]}}`)))
	if strings.Contains(got, key) || strings.Count(got, "[redacted:") != 3 || !strings.Contains(got, "<here>") || !strings.Contains(got, "12345678901234567890") || !json.Valid([]byte(got)) {
		t.Errorf("stored is %s", got)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if got := stored(over, json.RawMessage(`"`+key+`"`)); got != nil {
		t.Errorf("without a search stored is %s", got)
	}
	if got := storedText(over, key); strings.Contains(got, key) {
		t.Errorf("without a search stored is %s", got)
	}
	if got := stored(t.Context(), json.RawMessage(`{`)); got != nil {
		t.Errorf("stored is %s", got)
	}
}
