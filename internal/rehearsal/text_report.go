// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxShown bounds the text of a result, in lines, and a line, in characters.
const (
	maxShownLines = 12
	maxShown      = 400
)

// WriteText writes a report for a person at a terminal. The error is that of w.
func (r *Report) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, c := range r.Calls {
		c.text(b)
	}
	fmt.Fprintf(b, "changes: %s\n", count(len(r.Changes)))
	for _, i := range r.items() {
		if len(i.Folded) > 0 {
			fmt.Fprintf(b, "  %-10s %s\n", "below", line(i.Dir)+line(" ("+i.words()+")")+start(i.atStart()))
			continue
		}
		i.Change.text(b)
	}
	fmt.Fprintf(b, "processes: %s\n", count(len(r.Processes)))
	for _, p := range r.programs() {
		fmt.Fprintf(b, "  %s\n", line(p))
	}
	section(b, "network", r.Network, func(a Attempt) string { return a.words() + start(a.AtStart) })
	if len(r.Withheld) > 0 {
		fmt.Fprintf(b, "environment: %d variables are withheld from the server\n", len(r.Withheld))
	}
	section(b, "not rehearsed", r.Gaps, func(g Gap) string { return strings.TrimPrefix(g.Path+": "+g.Why, ": ") })
	fmt.Fprintf(b, "the server %s; %s of processor time, %d MiB of memory; %s\n", r.Exit, text(r.Usage.CPU), r.Usage.Memory>>20, r.bounds())
	return b.Flush()
}

// bounds describes the means that held the server within its limits.
func (r *Report) bounds() string {
	if len(r.Group) == 0 {
		return "no control group"
	}
	return "control group: " + strings.Join(r.Group, ", ")
}

func text(d Duration) string {
	raw, _ := d.MarshalText()
	return string(raw)
}

func count(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

func start(yes bool) string {
	if yes {
		return " (as the server started)"
	}
	return ""
}

// line makes a server's text safe for a terminal.
func line(s string) string {
	return strictjson.Printable(strings.ReplaceAll(s, "\t", "    "), maxShown)
}

func section[T any](w io.Writer, name string, list []T, show func(T) string) {
	fmt.Fprintf(w, "%s: %s\n", name, count(len(list)))
	for _, v := range list {
		fmt.Fprintf(w, "  %s\n", line(show(v)))
	}
}

func (a Attempt) words() string {
	what := "would connect to "
	object := a.Address
	switch {
	case a.Method != "":
		what, object = "would send ", a.Method+" "+a.URL
	case !strings.Contains(a.Address, ":"):
		what = "would look up "
	}
	if a.For != "" {
		object += " for " + a.For
	}
	switch {
	case a.Answer == Allowed && a.Method == "":
		return fmt.Sprintf("connected to %s, which is allowed (%d bytes sent, %d received)", object, a.Sent, a.Received)
	case a.Answer == Allowed:
		return fmt.Sprintf("sent %s, which is allowed (%d bytes sent, status %d, %d received)", object, a.Sent, a.Status, a.Received)
	case a.Answer == Replayed:
		return fmt.Sprintf("%s%s, answered from the recording (status %d)", what, object, a.Status)
	case a.Answer == Itself:
		return fmt.Sprintf("connected to %s, where it listens itself", object)
	case a.Answer == Closed:
		return fmt.Sprintf("tried to connect to %s, where nobody listens", object)
	case a.Sent > 0:
		object += fmt.Sprintf(" (%d bytes)", a.Sent)
	}
	return what + object
}

func (c *Called) text(w io.Writer) {
	switch {
	case c.Refused:
		fmt.Fprintf(w, "%s: refused\n", line(c.Tool))
	case c.Failed != "":
		fmt.Fprintf(w, "%s: no result\n", line(c.Tool))
	default:
		fmt.Fprintf(w, "%s: %s\n", line(c.Tool), c.verdict())
	}
	lines := strings.Split(strings.TrimRight(c.words(), "\n"), "\n")
	for i, l := range lines {
		if i == maxShownLines {
			fmt.Fprintf(w, "  … %d more lines\n", len(lines)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", line(l))
	}
}

// A content is the part of a CallToolResult that people read.
type content struct {
	IsError bool `json:"isError"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

func (c *Called) verdict() string {
	if c.fails() {
		return "the tool reports an error"
	}
	return "done"
}

// fails reports whether the tool reports an error.
func (c *Called) fails() bool {
	var r content
	return json.Unmarshal(c.Result, &r) == nil && r.IsError
}

func (c *Called) words() string {
	if c.Failed != "" {
		return c.Failed
	}
	var r content
	if err := json.Unmarshal(c.Result, &r); err != nil {
		return "a result that cannot be read"
	}
	var texts []string
	for _, part := range r.Content {
		if part.Type == "text" {
			texts = append(texts, part.Text)
		} else {
			texts = append(texts, "["+part.Type+"]")
		}
	}
	return strings.Join(texts, "\n")
}

func (c *Change) text(w io.Writer) {
	fmt.Fprintf(w, "  %-10s %s\n", c.Kind, line(c.Path)+line(c.about())+start(c.AtStart))
	if c.AtStart {
		return
	}
	if c.Concealed {
		fmt.Fprintln(w, "      its content is not shown: this caller may not read the file")
	}
	for l := range strings.Lines(c.Diff) {
		if !strings.HasPrefix(l, "--- ") && !strings.HasPrefix(l, "+++ ") {
			fmt.Fprintf(w, "      %s\n", line(strings.TrimRight(l, "\n")))
		}
	}
}

// about describes the change behind the path.
func (c *Change) about() string {
	switch c.Kind {
	case Deleted:
		return " (" + c.Before.about() + ")"
	case Created:
		return " (" + c.After.about() + ")"
	}
	var changed []string
	if c.Kind == Renamed {
		changed = append(changed, "was "+c.From)
	}
	if c.Before.Mode != c.After.Mode {
		changed = append(changed, fmt.Sprintf("mode %v, was %v", c.After.Mode, c.Before.Mode))
	}
	if c.Before.User != c.After.User || c.Before.Group != c.After.Group {
		changed = append(changed, fmt.Sprintf("owner %d:%d, was %d:%d", c.After.User, c.After.Group, c.Before.User, c.Before.Group))
	}
	if c.Before.Target != c.After.Target {
		changed = append(changed, fmt.Sprintf("to %s, was to %s", c.After.Target, c.Before.Target))
	}
	if names := differing(c.Before.Attributes, c.After.Attributes); len(names) > 0 {
		changed = append(changed, "extended attributes: "+strings.Join(names, ", "))
	}
	if c.Kind == Modified && c.Diff == "" && c.After.Type == "file" {
		changed = append(changed, fmt.Sprintf("%d bytes, was %d", c.After.Size, c.Before.Size))
	}
	if len(changed) == 0 && c.Kind == Attributes {
		changed = append(changed, "times")
	}
	if len(changed) == 0 {
		return ""
	}
	return " (" + strings.Join(changed, "; ") + ")"
}

// differing returns the keys with different values.
func differing(a, b map[string]string) []string {
	both := maps.Clone(a)
	if both == nil {
		both = map[string]string{}
	}
	maps.Copy(both, b)
	maps.DeleteFunc(both, func(key, value string) bool { return a[key] == value && b[key] == value })
	return slices.Sorted(maps.Keys(both))
}

func (s *State) about() string {
	switch s.Type {
	case "file":
		return fmt.Sprintf("%d bytes, %v", s.Size, s.Mode)
	case "link":
		return "link to " + s.Target
	}
	return s.Type
}
