// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// sections are what each check's documentation has. A heading may go on: "## Why a
// warning".
var sections = []string{"## Why", "## Example", "## How to mend it"}

// docFaults says what is wrong with a check before it runs.
func docFaults(c *check.Check) []string {
	if err := check.Validate([]*check.Check{c}); err != nil {
		return []string{err.Error()}
	}
	needed := sections
	if c.Demand != nil && c.Demand.Name == c.Name { // else another check has them, which shares the demand
		needed = append([]string{"## Options"}, sections...)
	}
	var faults []string
	for _, section := range needed {
		if body, ok := sectionOf(c.Doc, section); !ok {
			faults = append(faults, fmt.Sprintf("the README has no section %q", section))
		} else if strings.TrimSpace(body) == "" {
			faults = append(faults, fmt.Sprintf("the README's section %q is empty", section))
		}
	}
	return faults
}

var (
	severity = regexp.MustCompile(`^(error|warning) `)
	place    = regexp.MustCompile(`^/[^ :]*: `)
)

// exampleFaults reports the indented lines of the example that no case finds. The example of a
// demand has the name of an argument, which its cases have not.
func exampleFaults(c *check.Check, found map[string]bool) []string {
	example, _ := sectionOf(c.Doc, "## Example")
	var faults []string
	for line := range strings.Lines(example) {
		text, indented := strings.CutPrefix(line, "    ")
		text = severity.ReplaceAllString(strings.TrimSpace(text), "")
		if c.Demand != nil {
			text = place.ReplaceAllString(text, "")
		}
		if indented && text != "" && !found[text] {
			faults = append(faults, fmt.Sprintf("no case finds what the README's example shows: %s", text))
		}
	}
	return faults
}

// sectionOf returns the text below the heading that begins with the given words.
func sectionOf(doc, heading string) (body string, ok bool) {
	for part := range strings.SplitSeq("\n"+doc, "\n## ") {
		title, body, _ := strings.Cut(part, "\n")
		if rest, found := strings.CutPrefix("## "+title, heading); found && (rest == "" || rest[0] == ' ') {
			return body, true
		}
	}
	return "", false
}
