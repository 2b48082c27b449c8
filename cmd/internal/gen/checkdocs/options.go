// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// optionsBlock matches the place of the table of options in a README. Names behind the colon choose some of the demand's options;
// else the table has all.
var optionsBlock = regexp.MustCompile(`(?ms)^<!-- generated options(?:: ([a-z_ ]+))? -->\n.*?^<!-- end -->\n`)

// marked matches words that Markdown would not show as they are.
var marked = regexp.MustCompile(`[^\s(]*[*_<][^\s]*[^\s,;:.)]|\*`)

// withOptions renews the tables of options in a check's documentation. The tags of the options have the words, so the README, the
// schema of a policy and editors say the same.
func withOptions(c *check.Check) (string, error) {
	var failure error
	text := optionsBlock.ReplaceAllStringFunc(c.Doc, func(block string) string {
		first, _, _ := strings.Cut(block, "\n")
		table, err := optionsTable(c.Demand, strings.Fields(optionsBlock.FindStringSubmatch(block)[1]))
		if err != nil {
			failure = fmt.Errorf("check %q: %w", c.Name, err)
		}
		return first + "\n" + table + "<!-- end -->\n"
	})
	return text, failure
}

func optionsTable(d *check.Demand, chosen []string) (string, error) {
	if d == nil {
		return "", fmt.Errorf("no demand has options")
	}
	var b strings.Builder
	b.WriteString("| option | meaning |\n|---|---|\n")
	t := reflect.TypeOf(d.Options()).Elem()
	rest := slices.Clone(chosen)
	for i := range t.NumField() {
		name, words := t.Field(i).Tag.Get("policy"), t.Field(i).Tag.Get("doc")
		if name == "" || len(chosen) > 0 && !slices.Contains(chosen, name) {
			continue
		}
		rest = slices.DeleteFunc(rest, func(s string) bool { return s == name })
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, marked.ReplaceAllString(strings.ReplaceAll(words, "|", `\|`), "`$0`"))
	}
	if len(rest) > 0 {
		return "", fmt.Errorf("the demand %q has no option %s", d.Name, strings.Join(rest, ", "))
	}
	return b.String(), nil
}

// withoutMarks returns documentation without the marks of generated tables.
func withoutMarks(doc string) string {
	return optionsBlock.ReplaceAllStringFunc(doc, func(block string) string {
		_, block, _ = strings.Cut(block, "\n")
		return strings.TrimSuffix(block, "<!-- end -->\n")
	})
}

// renewReadmes writes the tables of options into the READMEs below a directory, and into the checks.
func renewReadmes(directory string, checks []*check.Check) error {
	files, err := filepath.Glob(filepath.Join(directory, "*", "README.md"))
	if err != nil {
		return err
	}
	for _, c := range checks {
		text, err := withOptions(c)
		if err != nil {
			return err
		}
		if text == c.Doc {
			continue
		}
		title := fmt.Sprintf("# %s\n", c.Name)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if strings.HasPrefix(string(raw), title) {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					return err
				}
			}
		}
		c.Doc = text
	}
	return nil
}
