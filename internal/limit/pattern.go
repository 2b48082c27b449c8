// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"errors"
	"slices"
	"strings"
)

// A pattern matches tools of servers.
type pattern struct{ server, tool glob }

func parsePattern(s string) (pattern, error) {
	server, tool, _ := strings.Cut(s, ":")
	if server == "" || tool == "" || strings.ContainsAny(s, `?[]\`) {
		return pattern{}, errors.New("must be server:tool, such as github:* or *:delete_*, in which * stands for any characters")
	}
	return pattern{strings.Split(server, "*"), strings.Split(tool, "*")}, nil
}

// parsePatterns reads patterns that are known to be sound.
func parsePatterns(texts []string) (list []pattern) {
	for _, text := range texts {
		p, _ := parsePattern(text)
		list = append(list, p)
	}
	return list
}

// Covers reports whether the limit holds for a tool of a server. A malformed pattern covers nothing.
func (l *Limit) Covers(server, tool string) bool {
	return len(l.Tools)+len(l.Requests) == 0 || Match(l.Tools, server, tool)
}

// CoversRequest is Covers for the requests of a method. Implied is [Key.Implied].
func (l *Limit) CoversRequest(server, method string, implied bool) bool {
	return len(l.Tools)+len(l.Requests) == 0 && !implied || Match(l.Requests, server, method)
}

// CheckPattern returns an error for a malformed pattern of tools.
func CheckPattern(text string) error {
	_, err := parsePattern(text)
	return err
}

// Match reports whether one of the patterns matches a tool of a server. A malformed pattern matches nothing.
func Match(patterns []string, server, tool string) bool {
	return slices.ContainsFunc(patterns, func(text string) bool {
		p, err := parsePattern(text)
		return err == nil && p.matches(server, tool)
	})
}

// matches reports whether the pattern matches a tool of a server. A server without a name may be any server,
// so only the tool has to match: a limit must not miss the call.
func (p pattern) matches(server, tool string) bool {
	return (server == "" || p.server.matches(server)) && p.tool.matches(tool)
}

// A glob holds the parts between the stars of a pattern. Unlike in [path.Match], a star matches slashes: a tool
// called "issues/create" must not slip through "*".
type glob []string

func (g glob) matches(name string) bool {
	last := len(g) - 1
	if last == 0 {
		return name == g[0]
	}
	name, found := strings.CutPrefix(name, g[0])
	if !found {
		return false
	}
	name, found = strings.CutSuffix(name, g[last])
	return found && !slices.ContainsFunc(g[1:last], func(part string) bool {
		_, name, found = strings.Cut(name, part)
		return !found
	})
}
