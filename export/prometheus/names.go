// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// other stands for all names beyond the bound.
const other = "other"

// maxName bounds a label's value, in bytes.
const maxName = 128

// names bounds the values of a label. Servers choose the names of their tools, and each new value costs the scraper
// and its database a series for ever.
type names struct {
	max  int
	mu   sync.Mutex
	seen map[string]bool
}

// bound returns the name, or other if it is not among the first.
func (n *names) bound(name string) string {
	return n.keep(name, name)
}

// of bounds a name that belongs to another.
func (n *names) of(owner, name string) string {
	return n.keep(owner+"\xff"+name, name) // no name holds this byte
}

func (n *names) keep(key, name string) string {
	if len(name) > maxName || !utf8.ValidString(name) {
		return other
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen[key] {
		return name
	}
	if len(n.seen) >= n.max {
		return other
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[strings.Clone(key)] = true // the name may share the memory of a whole message
	return name
}

func oneOf(value string, allowed ...string) string {
	if slices.Contains(allowed, value) {
		return value
	}
	return other
}
