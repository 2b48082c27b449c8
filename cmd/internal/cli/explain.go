// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/checkdoc"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CHECK|audit/CLASS[/RULE]]",
		Short: "List the checks and the classes of an audit, or explain one",
		Long: `List the checks in the order in which they run, and the classes of weaknesses that
'toolvet audit' grades, or explain one of them.`,
		Example: "  toolvet explain\n  toolvet explain input-schema\n  toolvet explain audit/path\n  toolvet explain audit/path/sibling-prefix",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return errors.Join(listChecks(a.stdout, a.checks.Nameable()), listClasses(a.stdout))
			case 1:
				if name, ok := strings.CutPrefix(args[0], "audit/"); ok {
					return explainClass(a.stdout, name)
				}
				return explainCheck(a.stdout, a.checks.Nameable(), args[0])
			}
			return usageError(cmd, "explain takes one check, or one class or rule of an audit")
		},
	}
}

func listChecks(w io.Writer, checks []*check.Check) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHECK\tSTAGE\tLEVEL\tSEVERITY\tSUMMARY")
	for _, c := range checks {
		terminal.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", c.Name, c.Stage, c.Level, c.Severity, plainInline(checkdoc.Summary(c.Doc)))
	}
	return table.Flush()
}

func explainCheck(w io.Writer, checks []*check.Check, name string) error {
	var names []string
	kind := kindOfCommand(checks, name)
	for _, c := range checks {
		if c.Name == name {
			if kind != "" {
				fmt.Fprintf(w, "[command: %s] in the answer of a hook:\n\n%s\n%s\nA check has the same name:\n\n", name, kind, unaskedExample(name))
			}
			_, err := terminal.Fprintf(w, "%s\n(stage %s, level %s, severity %s)\n%s", c.Name, c.Stage, c.Level, c.Severity, terminal.Text(plainBody(c.Doc)))
			return err
		}
		names = append(names, c.Name)
	}
	if kind != "" {
		_, err := fmt.Fprintf(w, "%s\n(one of the names that the check command knows: 'toolvet explain command')\n\n%s\n%s", name, kind, unaskedExample(name))
		return err
	}
	for _, known := range slices.Sorted(maps.Keys(kindWords)) {
		if kindOfCommand(checks, known) != "" {
			names = append(names, known)
		}
	}
	err := fmt.Errorf("unknown check %q", name)
	if near := schema.Nearest(name, names); near != "" {
		return enforce.WithHint(err, "did you mean 'toolvet explain %s'?", near)
	}
	return enforce.WithHint(err, "'toolvet explain' lists the checks")
}

// kindOfCommand is what the page of the check command tells of something with a name, as hooks use it in refusals, or the page of the check path; "" if
// neither does. A page has a kind in a row of a table, or with others in brackets behind the name of an option, as "deny". Syntax of a shell stands in
// a sentence.
func kindOfCommand(checks []*check.Check, name string) string {
	for _, on := range []string{"command", "path"} {
		if i := slices.IndexFunc(checks, func(c *check.Check) bool { return c.Name == on }); i >= 0 && name != "command" {
			if told := kindOn(checks[i].Doc, name); told != "" {
				return told
			}
		}
	}
	return ""
}

func kindOn(page, name string) string {
	if _, syntax, ok := strings.Cut(page, "\nFrom the shell, "); ok {
		if syntax, _, _ = strings.Cut(syntax, "\n\n"); strings.Contains(syntax, "`"+name+"`") {
			return name + ": syntax that a shell acts on, outside quotes"
		}
	}
	for line := range strings.Lines(page) {
		cells := strings.SplitN(strings.TrimSpace(line), "|", 3)
		if len(cells) < 3 || cells[0] != "" {
			continue
		}
		if strings.Contains(cells[1], "`"+name+"`") || strings.Contains(cells[2], "`"+name+"`") {
			return plainInline(strings.ReplaceAll(strings.TrimSpace(cells[1]), "`", "")) + ": " + plainInline(strings.Trim(cells[2], " |"))
		}
		if _, told, ok := strings.Cut(cells[2], " "+name+" ("); ok {
			told, _, _ = strings.Cut(told, ")")
			return plainInline(told)
		}
	}
	return ""
}

// unaskedExample is a policy by which a hook lets a kind pass that it asks about; "" if none does.
func unaskedExample(kind string) string {
	if kind == "key" {
		kind = "credential" // a policy has one name for both
	}
	narrow, all := narrower[kind], ""
	switch {
	case slices.Contains(policy.Consentable(), kind):
		all = "{kinds: [" + kind + "]}"
	case slices.Contains(strings.Fields("piped system steering sending deleting roaming doubtful guard"), kind):
		return "\nNo policy adds this to what an agent may do. Only a demand of its own on the tool's argument takes the place of the preset.\n"
	case narrow.key == "":
		return ""
	}
	lets := "A policy lets an agent do this without a question."
	if all == "" {
		lets = "A hook refuses this, and asks nobody. A policy may name an exception."
	}
	text := fmt.Sprintf("\n%s The server has the name of the agent's host:\n\n"+
		"    version: 1\n    servers:\n      claude-code: {agent: true, unasked: %s}\n\n", lets, cmp.Or(narrow.key, all))
	if narrow.key != "" {
		text += narrow.tells
	}
	if narrow.key != "" && all != "" {
		text += " To let all of the kind pass, say unasked: " + all + "."
	}
	if narrow.key != "" {
		text += "\n\n"
	}
	return text + "This command installs the hook with that policy:\n\n    toolvet hook install --policy FILE\n"
}

// narrower is the part of a kind that a policy may let pass, with its words.
var narrower = map[string]struct{ key, tells string }{
	"network": {"{hosts: [intranet.example.org]}", "That is one host, to fetch from."},
	"outside": {"{directories: [/srv/reports]}", "That is one directory."},
	"wipe":    {`{commands: ["git branch -D"]}`, "That is each command that begins with these words, whatever follows; other commands of a line are judged as before."},
	"secret":  {"{files: [.env.local]}", "That is one file, for commands and for the tools that read and write files. All others stay refused."},
}

// plainBody returns a check's README as plain text: without its title, comments, Markdown headings, links and
// code fences.
func plainBody(doc string) string {
	_, body, _ := strings.Cut(doc, "\n")
	var b strings.Builder
	for line := range strings.Lines(body) {
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "<!-- "):
			continue
		case strings.HasPrefix(line, "#"):
			line = strings.ToUpper(strings.TrimLeft(line, "# "))
		case !strings.HasPrefix(line, "    "):
			line = plainInline(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

var markdownLink = lazyregexp.New(`\[([^\]]+)\]\([^)]+\)`)

func plainInline(s string) string { return markdownLink.ReplaceAllString(s, "$1") }
