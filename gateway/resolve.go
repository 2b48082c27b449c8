// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
	"github.com/toolvet/toolvet/upstream"
)

// A target is what a name means: a tool or a prompt of a server.
type target struct {
	*peer
	own string // what the server calls it
}

// An unresolved error says why a name means nothing.
type unresolved struct{ message, suggestion string }

func (u *unresolved) Error() string {
	if u.suggestion == "" {
		return u.message
	}
	return u.message + ": " + u.suggestion
}

// verdict refuses a call of a tool that there is not.
func (u *unresolved) verdict() toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{
		Check: "known-tool", Stage: check.Schema, Level: check.SyntaxLevel, Message: u.message, Suggestion: u.suggestion,
	}}}
}

// resolve finds what a name means: SERVER__NAME, SERVER:NAME, or NAME alone where only one
// server has it. A name that names its server costs nothing, and waits for no other.
func (s *session) resolve(ctx context.Context, p *pool, list upstream.List, name string) (target, *unresolved) {
	if server, own, ok := split(name); ok {
		if peer := p.named(server); peer != nil {
			return target{peer, peer.ownName(ctx, list, name, own)}, nil
		}
	}
	found, others := s.having(ctx, p.parts(ctx, list, (*peer).remembered), list, name)
	if found == nil && others.missing == "" { // some servers do not say that their lists have changed
		found, others = s.having(ctx, p.parts(ctx, list, (*peer).list), list, name)
	}
	quoted := fmt.Sprintf("%q", strictjson.Printable(name, maxName))
	switch {
	case len(found) == 0:
		return target{}, others.nothing(list, quoted)
	case len(found) > 1:
		return target{}, &unresolved{
			fmt.Sprintf("%s is the name of %s of several servers", quoted, member(list)),
			"say " + alternatives(found),
		}
	case others.missing != "":
		return target{}, &unresolved{
			fmt.Sprintf("%s could be another server's, too: the server %q has not listed its %s yet", quoted, others.missing, member(list)),
			fmt.Sprintf("say %q", Expose(found[0].name, found[0].own)),
		}
	}
	return found[0], nil
}

// ownName is the name that a server knows. It differs from what stands behind the server's
// name where that was made to fit.
func (p *peer) ownName(ctx context.Context, list upstream.List, name, own string) string {
	entries, _ := p.remembered(ctx, list)
	for _, e := range entries {
		if e.name == name {
			return e.own
		}
	}
	return own
}

// others are what else was found in a search for a name.
type others struct {
	missing string   // a server that has not listed yet; "" for none
	names   []string // of all that the session sees
}

// having are those whose server calls them name.
func (s *session) having(ctx context.Context, parts []part, list upstream.List, name string) (found []target, o others) {
	for _, part := range parts {
		if !part.known {
			o.missing = part.name
		}
		for _, e := range part.entries {
			if list == upstream.Tools && !s.sees(ctx, part.peer, e) {
				continue
			}
			o.names = append(o.names, e.name, e.own)
			if e.own == name {
				found = append(found, target{part.peer, e.own})
			}
		}
	}
	return found, o
}

func (o others) nothing(list upstream.List, name string) *unresolved {
	u := &unresolved{message: fmt.Sprintf("there is no %s called %s", strings.TrimSuffix(member(list), "s"), name)}
	if o.missing != "" {
		u.message += fmt.Sprintf("; the server %q has not listed its %s yet", o.missing, member(list))
	}
	if near := schema.Nearest(strings.Trim(name, `"`), o.names); near != "" {
		u.suggestion = fmt.Sprintf("did you mean %q?", near)
	}
	return u
}

// maxAlternatives bounds how many are named.
const maxAlternatives = 5

func alternatives(found []target) string {
	var names []string
	for _, t := range found[:min(len(found), maxAlternatives)] {
		names = append(names, fmt.Sprintf("%q", Expose(t.name, t.own)))
	}
	return strings.Join(names, " or ")
}
