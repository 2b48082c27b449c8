// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// Servers repeat themselves: the same guard, or none, in each of twenty tools. A report for people says it once, with the names
// of the tools. The formats for programs keep one entry for each.

// alikes groups weaknesses that differ only in their place and in the calls that prove them. The order is that of the first of each group.
// A suppressed weakness, and one with lines of code, has more of its own and stands alone.
func alikes(list []audit.Weakness) [][]*audit.Weakness {
	var groups [][]*audit.Weakness
	at := map[string]int{}
	for i := range list {
		f := &list[i]
		key := fmt.Sprint(f.Class, f.Severity, sure(f), f.Kinds, f.Why, f.Fix)
		alone := f.Suppressed != nil
		for _, e := range f.Evidence {
			alone = alone || len(e.Flow) > 0
			if key += e.Why; e.Proof != nil {
				key += e.Proof.Seen
			}
		}
		if n, ok := at[key]; ok && !alone {
			groups[n] = append(groups[n], f)
			continue
		}
		if !alone {
			at[key] = len(groups)
		}
		groups = append(groups, []*audit.Weakness{f})
	}
	return groups
}

// textCells writes a list of cells, if it has any. Those of one class that share what there is to say are one entry.
func textCells(b *bufio.Writer, title string, list []audit.Assessment, say func(*audit.Assessment) string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	type entry struct {
		class audit.Class
		said  string
	}
	var order []entry
	cells := map[entry][]audit.Cell{}
	for i := range list {
		e := entry{list[i].Class, say(&list[i])}
		if cells[e] == nil {
			order = append(order, e)
		}
		cells[e] = append(cells[e], list[i].Cell)
	}
	for _, e := range order {
		if alike := cells[e]; len(alike) > 1 {
			fmt.Fprintf(b, "  %s: in each of %d places, %s\n", e.class, len(alike), e.said)
			textPlaces(b, alike)
		} else {
			fmt.Fprintf(b, "  %s: %s\n", alike[0], e.said)
		}
	}
}

// width is the length of a line of places, in bytes.
const width = 100

// textPlaces writes the places of cells, as many on a line as fit.
func textPlaces(b *bufio.Writer, cells []audit.Cell) {
	line := ""
	for i, c := range cells {
		word := short(c)
		if i < len(cells)-1 {
			word += ","
		}
		if line != "" && len(line)+1+len(word) > width {
			fmt.Fprintf(b, "   %s\n", line)
			line = ""
		}
		line += " " + word
	}
	fmt.Fprintf(b, "   %s\n", line)
}

// short is a cell without its class: "read_file path".
func short(c audit.Cell) string {
	if c.Tool == "" {
		return "the server"
	}
	return strings.TrimSpace(c.Tool + " " + strings.TrimPrefix(c.Param, "/"))
}
