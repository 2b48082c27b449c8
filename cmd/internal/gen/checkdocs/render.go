// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/checkdoc"
)

const head = `<!-- Generated from checks/*/README.md by: go generate ./checks/suite -->

# Checks

By default a Gate runs these checks, and it reports their findings in this order.
` + "`toolvet explain NAME`" + ` prints the page of one check. The policy changes the severity of
a check, observes it or turns it off.

| check | stage | level | default severity | a call is good when |
|---|---|---|---|---|
`

// ownChecks tells how to add a check to the program.
const ownChecks = `
## Checks of your own

A check is a Go value with one function (` + "`go doc check.Check`" + `). A program of ten lines adds it to all that toolvet does:

` + "```go" + `
func main() { command.Main(context.Background(), ticket) }
` + "```" + `

[cmd/examples/owncheck](../cmd/examples/owncheck/main.go) is such a program, with a demand, its page and its tests. Use it in
the place of ` + "`toolvet`" + `: its commands run and explain the check, and its policies know the demand. The check runs behind
those of toolvet in its stage and replaces none: the name of a check of toolvet, or of another's demand, is an error. A
program without the commands gives the check to ` + "`toolvet.WithMoreChecks`" + `, or to package ` + "`policyfile`" + `.
`

// render writes one page about checks.
func render(checks []*check.Check) ([]byte, error) {
	if err := check.Validate(checks); err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(head)
	for _, c := range checks {
		fmt.Fprintf(b, "| [%s](#%[1]s) | %s | %s | %s | %s |\n",
			c.Name, c.Stage, c.Level, c.Severity, strings.ReplaceAll(relink(checkdoc.Summary(c.Doc), checks), "|", `\|`))
	}
	b.WriteString(ownChecks)
	for _, c := range checks {
		_, body, _ := strings.Cut(withoutMarks(c.Doc), "\n")
		body = relink(demote(strings.TrimSpace(body)), checks)
		if dead := relative.FindString(body); dead != "" {
			return nil, fmt.Errorf("check %q: the link %s leads to no check of the suite", c.Name, dead)
		}
		fmt.Fprintf(b, "\n## %s\n\nStage %s, level %s, default severity %s.\n\n%s\n", c.Name, c.Stage, c.Level, c.Severity, body)
	}
	return b.Bytes(), nil
}

var (
	// fileLink matches a link between READMEs of checks.
	fileLink = regexp.MustCompile(`\]\(\.\./([a-z0-9]+)/README\.md\)`)
	// relative matches links that would break in another directory.
	relative = regexp.MustCompile(`\]\(\.[^)]*\)`)
)

// relink points links between READMEs to the sections of the page.
func relink(text string, checks []*check.Check) string {
	return fileLink.ReplaceAllStringFunc(text, func(link string) string {
		directory := fileLink.FindStringSubmatch(link)[1]
		for _, c := range checks {
			if strings.ReplaceAll(c.Name, "-", "") == directory {
				return "](#" + c.Name + ")"
			}
		}
		return link
	})
}

// demote moves headings one level down, except inside fenced blocks.
func demote(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(line, "#") {
			b.WriteByte('#')
		}
		b.WriteString(line)
	}
	return b.String()
}
