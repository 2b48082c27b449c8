// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// Values shorter than minLeak characters stand in messages by chance. Of longer ones
// than maxLeak the beginning is looked for, because messages are cut.
const (
	minLeak = 4
	maxLeak = 24
)

// leaks says which findings repeat a value of the arguments, or of the result. Text that the
// definition of a tool or the policy holds as well is no secret.
func (f *file) leaks(s *section, in input, run *check.Run) []string {
	known := []string{s.policy}
	for _, name := range in.call.Known.Names() {
		known = append(known, name)
		known = append(known, texts(in.call.Known.Tool(name).Raw)...)
	}
	var faults []string
	for _, value := range scalars(nil, in.values) {
		start := []rune(f.collapse(value))
		start = start[:min(len(start), maxLeak)]
		holds := func(text string) bool { return strings.Contains(f.collapse(text), string(start)) }
		if len(start) < minLeak || slices.ContainsFunc(known, holds) {
			continue
		}
		for _, f := range run.Findings {
			if holds(f.Message) || holds(f.Suggestion) || slices.ContainsFunc(texts(f.Value), holds) {
				faults = append(faults, fmt.Sprintf("the finding at %q repeats an argument's value: %q", f.Pointer, value))
			}
		}
		if skip := run.Skip; skip != nil && holds(skip.Why) {
			faults = append(faults, fmt.Sprintf("the skip repeats an argument's value: %q", value))
		}
	}
	return faults
}

// texts returns the names, strings and numbers of a JSON text.
func texts(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var list []string
	for {
		token, err := dec.Token()
		if err != nil {
			return list
		}
		switch token := token.(type) {
		case string:
			list = append(list, token)
		case json.Number:
			list = append(list, token.String())
		}
	}
}

// scalars appends the strings and numbers in a decoded value. The names of
// properties are places, not values.
func scalars(list []string, v any) []string {
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case json.Number:
		list = append(list, v.String())
	case []any:
		for _, e := range v {
			list = scalars(list, e)
		}
	case map[string]any:
		for _, e := range v {
			list = scalars(list, e)
		}
	}
	return list
}
