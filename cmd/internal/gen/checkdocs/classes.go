// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/class"
)

const classesHead = `<!-- Generated from internal/audit/classes/* by: go generate ./internal/audit/classes/suite -->

# What an audit grades

The classes of weaknesses, in the order of reports, and the rules that can fire in each.
` + "`toolvet explain audit/CLASS`" + ` and ` + "`toolvet explain audit/CLASS/RULE`" + ` print them. The
[rubric](audit-rubric.md) says what becomes of findings. A rule that says "in the code" is one of
[reading](audit-static.md), the others are of trying the server, or of both. A remark is never graded.

| class | severity | points | what it is |
|---|---|---|---|
`

// renderClasses writes one page about the classes of an audit.
func renderClasses(classes []*class.Class) ([]byte, error) {
	if err := class.Validate(classes); err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(classesHead)
	for _, c := range classes {
		points := fmt.Sprintf("−%d", c.Minus)
		if c.Plus > 0 {
			points += fmt.Sprintf(", +%d", c.Plus)
		}
		fmt.Fprintf(b, "| [%s](#%[1]s) | %s | %s | %s |\n", c.Name, c.Severity, points, cellText(c.Summary()))
	}
	for _, c := range classes {
		_, body, _ := strings.Cut(c.Doc, "\n")
		body = demote(strings.TrimSpace(body))
		if dead := relative.FindString(body); dead != "" {
			return nil, fmt.Errorf("class %q: the link %s leads nowhere from the page", c.Name, dead)
		}
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n### Rules\n\n| rule | what it says |\n|---|---|\n", c.Name, body)
		for _, r := range c.Kinds {
			fmt.Fprintf(b, "| `%s` | %s |\n", r.Name, cellText(r.Doc))
		}
		fmt.Fprintf(b, "\n### How to mend it\n\n* In any language: %s\n* TypeScript, JavaScript: %s\n* Python: %s\n* Go: %s\n",
			plain(c.Fix.Any), plain(c.Fix.TypeScript), plain(c.Fix.Python), plain(c.Fix.Go))
	}
	return b.Bytes(), nil
}

func cellText(s string) string { return strings.ReplaceAll(plain(s), "|", `\|`) }

// plain escapes Markdown in a plain sentence.
func plain(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "~", `\~`).Replace(s)
}
