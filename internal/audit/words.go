// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Purposes are sentences on what the server does by design, which the grade does not cover.
func (r *Report) Purposes() []string {
	tools := map[string][]string{}
	for i := range r.Weaknesses {
		f := &r.Weaknesses[i]
		if kind := f.purpose(); kind != nil && f.Tool != "" && !slices.Contains(tools[kind.Design], f.Tool) {
			tools[kind.Design] = append(tools[kind.Design], f.Tool)
		}
	}
	var list []string
	for _, does := range r.Grade.ByDesign {
		by := ""
		if names := tools[does]; len(names) > 0 {
			by = " (" + some(names) + ")"
		}
		list = append(list, fmt.Sprintf("By design this server %s%s: the grade does not cover what that does", does, by))
	}
	return list
}

// byDesign is what the server does by design, each once. A suppression takes nothing away: the server does it all the same.
func byDesign(list []Weakness) (does []string) {
	for i := range list {
		if kind := list[i].purpose(); kind != nil && !slices.Contains(does, kind.Design) {
			does = append(does, kind.Design)
		}
	}
	return does
}

// bound says that a policy must bound what the server does by design, in the same breath as the grade; "" if there is nothing.
func (g *Grade) bound() string {
	if len(g.ByDesign) == 0 {
		return ""
	}
	return "; by design the server " + strings.Join(g.ByDesign, ", and ") + ", so a policy must bound it"
}

// maxNamed is how many tools a sentence names.
const maxNamed = 5

// weighs is the first bound on a letter that the points alone do not give, or nil.
func (g *Grade) weighs() *Cap {
	if g.Letter == letterOf(g.Score) {
		return nil
	}
	i := slices.IndexFunc(g.Caps, func(c Cap) bool { return c.Letter == g.Letter })
	if i < 0 {
		return nil
	}
	return &g.Caps[i]
}

// Bounds are further bounds that hold the letter, beside the one in the summary.
func (g *Grade) Bounds() (list []Cap) {
	said := g.weighs()
	for i := range g.Caps {
		if c := &g.Caps[i]; c.Letter == g.Letter && c != said {
			list = append(list, *c)
		}
	}
	return list
}

// some are the first names of a list, and the number of the others.
func some(names []string) string {
	said := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}

// ofTool finds notes on one tool.
var ofTool = lazyregexp.New(`^tool ([^ :]+)(:? .*)$`)

// together makes one note of those that differ only in the name of a tool.
func together(notes []string) []string {
	tools := map[string][]string{} // by what is said of them
	for _, n := range notes {
		if m := ofTool.FindStringSubmatch(n); m != nil {
			tools[m[2]] = append(tools[m[2]], m[1])
		}
	}
	var list []string
	for _, n := range notes {
		m := ofTool.FindStringSubmatch(n)
		if m == nil || len(tools[m[2]]) == 1 {
			list = append(list, n)
		} else if names := tools[m[2]]; names[0] == m[1] {
			list = append(list, fmt.Sprintf("each of %d tools (%s)%s", len(names), some(names), m[2]))
		}
	}
	return list
}
