// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A testCase is a value, and whether what is expected of it stands below it: of values
// that stand beside or below each other it is said once.
type testCase struct {
	text  string          // comments and blank lines above it, and the value, as they stand
	value json.RawMessage // nil for a call as a whole
	gap   string          // the separator behind it: blanks, or a line break
	ends  bool
}

// indent begins the lines with expected findings, and fine is the line for none.
const (
	indent = "    "
	fine   = "ok\n"
)

// readCases reads the values of a section, and what stands behind the last one. The expectation
// is not kept, because render writes it anew. Expand replaces $WORK.
func readCases(text string, expand func(string) string) (cases []testCase, end string, err error) {
	above := ""
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			above += line + "\n"
		case line[0] == ' ' || line[0] == '\t':
			if len(cases) == 0 {
				cases = append(cases, testCase{text: above})
				above = ""
			}
			cases[len(cases)-1].ends = true
		default:
			tc, behind, err := readCase(text)
			if err != nil {
				return nil, "", fmt.Errorf("%w: %s", err, line)
			}
			tc.text, above = above+tc.text, ""
			tc.value = json.RawMessage(expand(string(tc.value)))
			cases, rest = append(cases, tc), behind
		}
		text = rest
	}
	if len(cases) > 1 && cases[0].value == nil {
		return nil, "", errors.New("what is expected stands before the first value")
	}
	return cases, above, nil
}

// readCase reads the value that a text begins with.
func readCase(text string) (tc testCase, rest string, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&tc.value); err != nil {
		return tc, "", fmt.Errorf("no JSON value, nor an indented line that says what is expected: %w", err)
	}
	tc.text, rest = text[:dec.InputOffset()], text[dec.InputOffset():]
	behind := strings.TrimLeft(rest, " \t")
	if last, more := strings.CutPrefix(behind, "\n"); more || behind == "" {
		tc.gap = "\n"
		return tc, last, nil
	}
	tc.gap = rest[:len(rest)-len(behind)]
	return tc, behind, nil
}

// render writes the section with what its cases find.
func (s *section) render(results []string) string {
	var b strings.Builder
	for i, tc := range s.cases {
		b.WriteString(tc.text)
		if !tc.ends && i+1 < len(results) && results[i] == results[i+1] {
			b.WriteString(tc.gap)
			continue
		}
		if tc.value != nil {
			b.WriteString("\n")
		}
		for line := range strings.Lines(results[i]) {
			b.WriteString(indent + line)
		}
	}
	return b.String() + s.end
}
