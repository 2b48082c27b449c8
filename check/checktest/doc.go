// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"fmt"
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
	var faults []string
	for _, section := range sections {
		if body, ok := sectionOf(c.Doc, section); !ok {
			faults = append(faults, fmt.Sprintf("the README has no section %q", section))
		} else if strings.TrimSpace(body) == "" {
			faults = append(faults, fmt.Sprintf("the README's section %q is empty", section))
		}
	}
	return faults
}

// exampleFaults says which indented lines of the example are none that a case finds.
func exampleFaults(doc string, found map[string]bool) []string {
	example, _ := sectionOf(doc, "## Example")
	var faults []string
	for line := range strings.Lines(example) {
		text, indented := strings.CutPrefix(line, "    ")
		if text = strings.TrimSpace(text); indented && text != "" && !found[text] {
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
