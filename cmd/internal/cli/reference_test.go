// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/terminal"
)

// TestReference holds the generated pages of the reference to the program. TOOLVET_UPDATE=1 writes them.
func TestReference(t *testing.T) {
	t.Parallel()
	var schema strings.Builder
	if code := Main(t.Context(), backend.DefaultChecks(), []string{"policy", "schema"}, strings.NewReader(""), &schema, io.Discard); code != exitGo {
		t.Fatalf("policy schema: exit code %d", code)
	}
	keys, err := policyKeys(schema.String())
	if err != nil {
		t.Fatal(err)
	}
	a := &app{checks: backend.DefaultChecks(), stdout: terminal.NewWriter(io.Discard), stderr: terminal.NewWriter(io.Discard)}
	for name, want := range map[string]string{"commands.md": commandPage(a.rootCommand()), "policy-keys.md": keys} {
		name = filepath.Join("../../../docs", name)
		if os.Getenv("TOOLVET_UPDATE") != "" {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is out of date: run TOOLVET_UPDATE=1 go test ./cmd/internal/cli -run TestReference (-want +got):\n%s", name, diff)
		}
	}
}

const generated = "<!-- Generated: TOOLVET_UPDATE=1 go test ./cmd/internal/cli -run TestReference -->\n"

// commandPage is the reference of all commands with their flags.
func commandPage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Commands\n\n%s\nEvery command with its flags, as `toolvet help COMMAND` prints them. [Which command do I need?](README.md#which-command-do-i-need)\n\n", generated)
	b.WriteString("Exit codes: 0 go, 1 no-go, 2 not judged. `toolvet proxy` ends with the exit code of its server.\n")
	for _, group := range root.Groups() {
		for _, c := range root.Commands() {
			if c.GroupID == group.ID {
				describe(&b, c)
			}
		}
	}
	for _, c := range root.Commands() {
		if c.GroupID == "" && c.Name() != "help" && c.Name() != "completion" {
			describe(&b, c)
		}
	}
	return b.String()
}

// describe writes the sections of a command and those below it.
func describe(b *strings.Builder, c *cobra.Command) {
	if c.Hidden {
		return
	}
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	fmt.Fprintf(b, "\n## %s\n\n```text\n%s\n", c.CommandPath(), strings.TrimSpace(long))
	if c.Runnable() {
		fmt.Fprintf(b, "\nusage: %s\n", c.UseLine())
	}
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		flags.VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || f.Name == "help" })
		if text := strings.TrimRight(flags.FlagUsages(), "\n"); text != "" {
			fmt.Fprintf(b, "\n%s\n", text)
		}
	}
	if c.HasExample() {
		fmt.Fprintf(b, "\nexamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	b.WriteString("```\n")
	for _, sub := range c.Commands() {
		describe(b, sub)
	}
}

// A schemaNode is what the reference reads of a schema of policies.
type schemaNode struct {
	Ref         string                `json:"$ref"`
	Description string                `json:"description"`
	Type        any                   `json:"type"`
	Const       any                   `json:"const"`
	Enum        []any                 `json:"enum"`
	OneOf       []*schemaNode         `json:"oneOf"`
	Items       *schemaNode           `json:"items"`
	Properties  map[string]schemaNode `json:"properties"`
	Additional  json.RawMessage       `json:"additionalProperties"`
	Defs        map[string]schemaNode `json:"$defs"`
}

// policyKeys is the reference of a policy's keys.
func policyKeys(text string) (string, error) {
	var root schemaNode
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		return "", err
	}
	p := keyPage{defs: root.Defs, seen: map[string]bool{}}
	fmt.Fprintf(&p.text, "# Keys of a policy\n\n%s\nEvery key of `toolvet.yaml`, from the schema that `toolvet policy schema` prints. [Policies](policies.md) tells how to write, test and change one.\n", generated)
	p.text.WriteString("`NAME` is a name of yours. A key that ends in `[]` has a list, in whose place one entry may stand. [Checks](checks.md) has the demands that stand below an argument and in `output`.\n")
	top := slices.Sorted(maps.Keys(root.Properties))
	p.text.WriteString("\n| key | type | meaning |\n|---|---|---|\n")
	for _, name := range top {
		p.row(name, root.Properties[name])
	}
	for _, name := range top {
		p.rows = nil
		if err := p.walk(name, root.Properties[name]); err != nil {
			return "", err
		}
		if len(p.rows) > 0 {
			fmt.Fprintf(&p.text, "\n## %s\n\n| key | type | meaning |\n|---|---|---|\n%s", name, strings.Join(p.rows, ""))
		}
	}
	return p.text.String(), nil
}

type keyPage struct {
	text strings.Builder
	defs map[string]schemaNode
	rows []string
	seen map[string]bool // definitions
}

// told reports whether a definition is on another page, or on this one already.
func (p *keyPage) told(ref string) bool {
	if ref == "" || ref == "#/$defs/check" {
		return false
	}
	told := p.seen[ref] || ref == "#/$defs/demands" || ref == "#/$defs/output"
	p.seen[ref] = true
	return told
}

func (p *keyPage) row(key string, n schemaNode) {
	n = p.resolved(n)
	fmt.Fprintf(&p.text, "| `%s` | %s | %s |\n", key, n.kind(), cell(n.Description))
}

// walk adds a row for each key below one.
func (p *keyPage) walk(key string, n schemaNode) error {
	if p.told(n.Ref) {
		return nil
	}
	n = p.resolved(n)
	if list := n.list(); list != nil {
		if p.told(list.Ref) {
			return nil
		}
		key += "[]"
		n = p.resolved(*list)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		below, child := key+"."+name, n.Properties[name]
		if key == "checks" {
			if name != slices.Sorted(maps.Keys(n.Properties))[0] {
				continue // each check has the same
			}
			below = "checks.NAME"
		}
		shown := p.resolved(child)
		about := shown.Description
		if below == "checks.NAME" {
			about = "`off`, or what becomes of the findings of a check"
		}
		p.rows = append(p.rows, fmt.Sprintf("| `%s` | %s | %s |\n", below, shown.kind(), cell(about)))
		if name == "requests" && key == "servers.NAME" {
			continue // as tools
		}
		if err := p.walk(below, child); err != nil {
			return err
		}
	}
	for _, one := range n.OneOf {
		if len(one.Properties) > 0 && n.list() == nil {
			if err := p.walk(key, *one); err != nil {
				return err
			}
		}
	}
	var below schemaNode
	if len(n.Additional) > 0 && n.Additional[0] == '{' {
		if err := json.Unmarshal(n.Additional, &below); err != nil {
			return err
		}
		return p.walk(key+".NAME", below)
	}
	return nil
}

func (p *keyPage) resolved(n schemaNode) schemaNode {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		about := n.Description
		n = p.defs[name]
		if about != "" {
			n.Description = about
		}
	}
	return n
}

// list returns the entries of a list; nil if it is none.
func (n schemaNode) list() *schemaNode {
	for _, one := range n.OneOf {
		if one.Items != nil {
			return one.Items
		}
	}
	return nil
}

// kind tells the values of a key.
func (n schemaNode) kind() string {
	if list := n.list(); list != nil {
		if list.Ref != "" {
			return "list of mapping"
		}
		return "list of " + list.kind()
	}
	if n.Const != nil {
		return fmt.Sprintf("`%v`", n.Const)
	}
	if len(n.Enum) > 0 {
		var values []string
		for _, v := range n.Enum {
			values = append(values, fmt.Sprintf("`%v`", v))
		}
		return strings.Join(values, ", ")
	}
	switch kind := n.Type.(type) {
	case string:
		if kind == "object" {
			return "mapping"
		}
		return kind
	case []any:
		var kinds []string
		for _, one := range kind {
			if one != "null" {
				kinds = append(kinds, fmt.Sprint(one))
			}
		}
		return strings.ReplaceAll(strings.Join(kinds, " or "), "object", "mapping")
	}
	return ""
}

// cell makes a text fit a table; what looks like an element of HTML is text.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}
