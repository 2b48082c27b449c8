// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"slices"
	"strings"
)

// Hooks tells in a few lines which hooks the change takes out of the file and puts into it: a command each, with its events. A file whose hooks
// are its program has none.
func (c *Change) Hooks() []string {
	if c.piece == nil {
		return nil
	}
	after := c.After
	if c.Delete {
		after = nil
	}
	before, _ := c.piece.hooks(c.Before, nil) // Install and Uninstall have read both texts
	now, _ := c.piece.hooks(after, nil)
	return append(told("-", before, now), told("+", now, before)...)
}

// told names the hooks that others lack. Hooks that differ only in the event are in one line.
func told(sign string, list, others []Handler) []string {
	var order []string
	events := map[string][]string{}
	for _, h := range list {
		if slices.ContainsFunc(others, func(o Handler) bool { return alike(&h, &o) }) {
			continue
		}
		runs := h.Line
		if h.Command != nil {
			runs = line(h.Command, "")
		}
		if h.Closed || h.Guarded {
			runs += ", and a failure blocks"
		}
		if events[runs] == nil {
			order = append(order, runs)
		}
		if event := cmp.Or(h.Event, "always"); !slices.Contains(events[runs], event) {
			events[runs] = append(events[runs], event)
		}
	}
	var lines []string
	for _, runs := range order {
		lines = append(lines, sign+" "+strings.Join(events[runs], ", ")+": "+runs)
	}
	return lines
}

func alike(a, b *Handler) bool {
	return a.Event == b.Event && a.Matcher == b.Matcher && a.Line == b.Line && a.Timeout == b.Timeout && a.Closed == b.Closed
}
