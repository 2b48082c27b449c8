// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// Bounds of a page. Many clients read only the first, so it is large.
const (
	pageEntries = 1000
	pageBytes   = 8 << 20
)

// A cursor is a place in a merged list: a server, and the number of its entries to skip. It
// stays valid when servers come and go, and when their lists grow or shrink.
type cursor struct {
	server string
	skip   int
}

func (c cursor) encode() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s/%d", c.server, c.skip))
}

func decodeCursor(text string) (c cursor, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, false
	}
	server, skip, ok := strings.Cut(string(raw), "/")
	n, err := strconv.Atoi(skip)
	return cursor{server, n}, ok && err == nil && n >= 0
}

// A part holds one server's entries of a merged list.
type part struct {
	*peer
	entries []entry
	known   bool
}

// ask is a way to get a list of a server: peer.list, peer.listAtOnce or peer.remembered.
type ask func(p *peer, ctx context.Context, list servers.List) ([]entry, bool)

// parts gets a list from all servers at the same time.
func (p *pool) parts(ctx context.Context, list servers.List, how ask) []part {
	peers := p.all()
	parts := make([]part, len(peers))
	var asking sync.WaitGroup
	for i, peer := range peers {
		asking.Go(func() {
			entries, known := how(peer, ctx, list)
			parts[i] = part{peer, entries, known}
		})
	}
	asking.Wait()
	return parts
}

// list answers a request for a list.
func (s *session) list(ctx context.Context, r *request, list servers.List) (json.RawMessage, error) {
	p, err := s.connections()
	if err != nil {
		return nil, err
	}
	var from cursor
	if raw := r.params.Get("cursor"); raw != nil && string(raw) != "null" {
		var text string
		ok := json.Unmarshal(raw, &text) == nil
		if ok {
			from, ok = decodeCursor(text)
		}
		if !ok || p.named(from.server) == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "the cursor is none of this list, or not any more: list again from the start"}
		}
	}
	page := s.page(ctx, p, p.parts(ctx, list, (*peer).listAtOnce), list, from)
	return page.encode(list, r.modern)
}

// A page is a part of a merged list.
type page struct {
	entries [][]byte
	next    string
	partial bool // a server has not listed yet
}

func (s *session) page(ctx context.Context, p *pool, parts []part, list servers.List, from cursor) page {
	var made page
	size, begun := 0, from.server == ""
	for _, part := range parts {
		made.partial = made.partial || !part.known
		begun = begun || part.name == from.server
		if !begun {
			continue
		}
		for n, e := range part.entries {
			if part.name == from.server && n < from.skip {
				continue
			}
			if len(made.entries) >= pageEntries || size > pageBytes {
				made.next = cursor{part.name, n}.encode()
				return made
			}
			if shown := s.shown(ctx, p, part.peer, list, e); shown != nil {
				made.entries, size = append(made.entries, shown), size+len(shown)
			}
		}
	}
	if list == servers.Tools {
		made.entries = append(made.entries, s.g.own...)
		if s.g.rehearses() {
			made.entries = append(made.entries, s.g.rehearsal)
		}
	}
	return made
}

// shown returns an entry as this session sees it, or nil if the session must not see it.
func (s *session) shown(ctx context.Context, p *pool, peer *peer, list servers.List, e entry) []byte {
	switch list {
	case servers.Tools:
		if !s.sees(ctx, peer, e) {
			return nil
		}
	case servers.Prompts, servers.Resources, servers.ResourceTemplates:
		d := s.g.door
		d.Gate, d.Server = peer.judge, peer.name
		if !d.Lists(ctx, string(list), e.shown, e.sent, s.who(nil)) {
			return nil
		}
		if list != servers.Prompts && p.ownership(ctx).entry(list, e.own) != peer {
			raw, err := splice.Set(e.raw, wide, quoted(exposeURI(peer.name, e.own)), keyOf(list))
			if err != nil { // cannot happen: the entry was read before
				return nil
			}
			return raw
		}
	}
	return e.raw
}

// sees reports whether the policy shows a tool to this session.
func (s *session) sees(ctx context.Context, p *peer, e entry) bool {
	gate := p.judge()
	return !inside.Of(gate).Hides() ||
		inside.Of(gate).Lists(ctx, &call.Call{Server: p.name, Name: e.own, Tool: e.tool, Session: s.who(nil)})
}

// listTTL is how long a client since 2026-07-28 may keep a complete list, in ms.
const listTTL = 60_000

func (p page) encode(list servers.List, modern bool) (json.RawMessage, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"%s":[`, member(list))
	b.Write(bytes.Join(p.entries, []byte(",")))
	b.WriteByte(']')
	if p.next != "" {
		fmt.Fprintf(&b, `,"nextCursor":%q`, p.next)
	}
	if modern {
		ttl := listTTL
		if p.partial {
			ttl = 0
		}
		fmt.Fprintf(&b, `,"resultType":"complete","ttlMs":%d,"cacheScope":"private"`, ttl)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
