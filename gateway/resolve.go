// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

// A target is a tool, prompt or resource of a server.
type target struct {
	*peer
	own string // the server's own name for it
}

// An unresolved error tells why a name does not lead to a target.
type unresolved struct{ message, suggestion string }

func (u *unresolved) Error() string {
	if u.suggestion == "" {
		return u.message
	}
	return u.message + ": " + u.suggestion
}

// verdict refuses a call of the unknown tool.
func (u *unresolved) verdict() toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{
		Check: "known-tool", Stage: check.Schema, Level: check.SyntaxLevel, Message: u.message, Suggestion: u.suggestion,
	}}}
}

// resolve finds the target of a name: SERVER__NAME, SERVER:NAME, or NAME alone if only one
// server has it. A name with a server needs no other server, so it does not wait for any.
func (s *session) resolve(ctx context.Context, p *pool, list servers.List, name string) (target, *unresolved) {
	if server, own, ok := split(name); ok {
		if peer := p.named(server); peer != nil {
			return target{peer, peer.ownName(ctx, list, name, own)}, nil
		}
	}
	found, others := s.having(ctx, p.parts(ctx, list, (*peer).remembered), list, name)
	if found == nil && others.missing == "" { // some servers do not notify of changed lists
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
			fmt.Sprintf("%s could be another server's, too: %s", quoted, others.missing),
			fmt.Sprintf("say %q", Expose(found[0].name, found[0].own)),
		}
	}
	return found[0], nil
}

// ownName returns the server's own name for name. It differs from own if [Expose] had to
// change it.
func (p *peer) ownName(ctx context.Context, list servers.List, name, own string) string {
	entries, _ := p.remembered(ctx, list)
	for _, e := range entries {
		if e.name == name {
			return e.own
		}
	}
	return own
}

// others holds the by-products of a search for a name, for errors.
type others struct {
	missing string   // says that a server has no known list; "" for none
	names   []string // of everything visible to the session
}

// having finds the entries with name as their server's own name.
func (s *session) having(ctx context.Context, parts []part, list servers.List, name string) (found []target, o others) {
	for _, part := range parts {
		if !part.known {
			o.missing = part.unlisted(list)
		}
		for _, e := range part.entries {
			if list == servers.Tools && !s.sees(ctx, part.peer, e) {
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

// unlisted says why a server has no known list.
func (p *peer) unlisted(list servers.List) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.down.IsZero() {
		return fmt.Sprintf("the server %q is down, and has not listed its %s", p.name, member(list))
	}
	return fmt.Sprintf("the server %q has not listed its %s yet", p.name, member(list))
}

func (o others) nothing(list servers.List, name string) *unresolved {
	u := &unresolved{message: fmt.Sprintf("there is no %s called %s", strings.TrimSuffix(member(list), "s"), name)}
	if o.missing != "" {
		u.message += "; " + o.missing
	}
	if near := schema.Nearest(strings.Trim(name, `"`), o.names); near != "" {
		u.suggestion = fmt.Sprintf("did you mean %q?", near)
	}
	return u
}

// maxAlternatives bounds the names in a suggestion.
const maxAlternatives = 5

func alternatives(found []target) string {
	var names []string
	for _, t := range found[:min(len(found), maxAlternatives)] {
		names = append(names, fmt.Sprintf("%q", Expose(t.name, t.own)))
	}
	return strings.Join(names, " or ")
}
