// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package listed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/listed"
)

// TestApart holds that what is read shares no memory with the text that it is read from.
func TestApart(t *testing.T) {
	t.Parallel()
	definition := func(d *call.Tool) string {
		return fmt.Sprintf("%s %s %s %s %s", d.Name, d.Title, d.Description, d.InputSchema, d.Raw)
	}
	for _, tt := range []struct {
		name, text string
		decode     func(text []byte) (kept func() string, err error)
	}{
		{"DecodeEntry", `{"name":"good","description":"good"}`, func(b []byte) (func() string, error) {
			c := listed.DecodeEntry(listed.Prompts, b, call.Limits{})
			return func() string { return definition(c.Tool) + fmt.Sprint(c.Arguments) }, nil
		}},
		{"Decode", `{"prompts":[{"name":"good"}],"nextCursor":"good"}`, func(b []byte) (func() string, error) {
			list, next, _, err := listed.Decode(listed.Prompts, b, call.Limits{})
			return func() string { return definition(list[0]) + next }, err
		}},
	} {
		buffer := []byte(tt.text)
		kept, err := tt.decode(buffer)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		before := kept()
		copy(buffer, strings.ReplaceAll(tt.text, "good", "EVIL"))
		if after := kept(); after != before || !strings.Contains(before, "good") {
			t.Errorf("%s: changed with the text\nbefore: %s\nafter: %s", tt.name, before, after)
		}
	}
}
