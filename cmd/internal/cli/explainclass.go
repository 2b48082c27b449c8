// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
)

// listClasses lists the classes of an audit, below the checks.
func listClasses(w io.Writer) error {
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "AUDIT\tSEVERITY\tPOINTS\tSUMMARY")
	for _, c := range audit.Classes() {
		terminal.Fprintf(table, "audit/%s\t%s\t%s\t%s\n", c.Name, c.Severity, points(c), plainInline(c.Summary()))
	}
	return table.Flush()
}

// points returns the price of a class in points, and the reward of a proven guard.
func points(c *class.Class) string {
	if c.Plus == 0 {
		return fmt.Sprintf("-%d", c.Minus)
	}
	return fmt.Sprintf("-%d, +%d", c.Minus, c.Plus)
}

// explainClass prints the page of a class, or of one of its rules: "path", "path/symlink".
func explainClass(w io.Writer, name string) error {
	className, ruleName, one := strings.Cut(name, "/")
	var names []string
	for _, c := range audit.Classes() {
		names = append(names, "audit/"+c.Name)
		for _, r := range c.Kinds {
			names = append(names, "audit/"+c.Name+"/"+r.Name)
		}
		if c.Name != className {
			continue
		}
		if !one {
			return writeClass(w, c)
		}
		if r := c.Kind(ruleName); r != nil {
			return writeRule(w, c, r)
		}
	}
	err := errors.New("an audit knows no class or rule of this name")
	if near := schema.Nearest("audit/"+name, names); near != "" {
		return enforce.WithHint(err, "did you mean 'toolvet explain %s'?", near)
	}
	return enforce.WithHint(err, "'toolvet explain' lists the classes, and 'toolvet explain audit/CLASS' its rules")
}

func writeClass(w io.Writer, c *class.Class) error {
	var b strings.Builder
	terminal.Fprintf(&b, "audit/%s\n(severity %s, points %s)\n%s\nRULES\n\n", c.Name, c.Severity, points(c), terminal.Text(plainBody(c.Doc)))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range c.Kinds {
		terminal.Fprintf(table, "%s\t%s\n", r.Name, r.Doc)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	b.WriteString("\n")
	writeFix(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRule(w io.Writer, c *class.Class, r *class.Kind) error {
	var b strings.Builder
	terminal.Fprintf(&b, "audit/%s/%s\n(%s)\n\n%s.\n\n", c.Name, r.Name, weight(c, r), r.Doc)
	if r.Fix != "" {
		terminal.Fprintf(&b, "HOW TO MEND IT\n\n%s\n", r.Fix)
	} else {
		writeFix(&b, c)
	}
	terminal.Fprintf(&b, "\n'toolvet explain audit/%s' says how an audit finds it.\n", c.Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// weight is what a rule of a class costs.
func weight(c *class.Class, r *class.Kind) string {
	switch {
	case r.AtMost != "":
		return "severity info, a remark that costs no points; the grade is at most " + r.AtMost
	case r.Remark():
		return "severity info, a remark that costs no points"
	case r.Severity != "":
		return fmt.Sprintf("severity %s, points -5", r.Severity) // as a suspicion: docs/audit-rubric.md
	}
	return fmt.Sprintf("severity %s, points %s", c.Severity, points(c))
}

func writeFix(b *strings.Builder, c *class.Class) {
	terminal.Fprintf(b, "HOW TO MEND IT\n\nIn any language: %s\n\nTypeScript, JavaScript: %s\n\nPython: %s\n\nGo: %s\n", terminal.Text(c.Fix.Any), terminal.Text(c.Fix.TypeScript), terminal.Text(c.Fix.Python), terminal.Text(c.Fix.Go))
}
