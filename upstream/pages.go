// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of a listing, several times what the largest known servers list.
const (
	maxPages     = 1_000
	maxEntries   = 10_000
	maxListBytes = 64 << 20
)

// A List is one of the lists that a server has.
type List string

// The lists, by the methods that ask for them.
const (
	Tools             List = "tools/list"
	Prompts           List = "prompts/list"
	Resources         List = "resources/list"
	ResourceTemplates List = "resources/templates/list"
)

// lists are all of them.
var allLists = []List{Tools, Prompts, Resources, ResourceTemplates}

// member is the member of a page that holds the entries.
func (l List) member() string {
	if l == ResourceTemplates {
		return "resourceTemplates"
	}
	return l.capability()
}

// capability is the key among a server's capabilities.
func (l List) capability() string {
	name, _, _ := strings.Cut(string(l), "/")
	return name
}

// changed is the notification that the list is another.
func (l List) changed() string { return "notifications/" + l.capability() + "/list_changed" }

// a page is one result of a list.
type page struct {
	next  string // cursor, "" on the last
	size  int    // entries
	ttl   time.Duration
	lives bool // ttl is given (2026-07-28, server/utilities/caching)
}

// pages asks for all pages of a list. Each is given to take.
func (c *Client) pages(ctx context.Context, list List, take func(raw json.RawMessage) (page, error)) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	params, bytes, entries := map[string]any{}, 0, 0
	cursors := map[string]bool{}
	what := list.what()
	for range maxPages {
		raw, err := c.request(ctx, string(list), params)
		if err != nil {
			return err
		}
		p, err := take(raw)
		if err != nil {
			return err
		}
		bytes, entries = bytes+len(raw), entries+p.size
		switch {
		case entries > maxEntries:
			return fmt.Errorf("the server lists more than %d %s", maxEntries, what)
		case bytes > maxListBytes:
			return fmt.Errorf("the server's list of %s is larger than %d MiB", what, maxListBytes>>20)
		case p.next == "":
			return nil
		case cursors[p.next]:
			return fmt.Errorf("the server's list of %s never ends: it gives the same cursor again", what)
		}
		cursors[p.next] = true
		params = map[string]any{"cursor": p.next}
	}
	return fmt.Errorf("the server's list of %s has more than %d pages", what, maxPages)
}

// what are the entries in words.
func (l List) what() string {
	if l == ResourceTemplates {
		return "resource templates"
	}
	return l.capability()
}

// Tools lists the server's tools, all pages. Definitions that cannot be read are
// left out and named in faults; err says that there is no complete list.
func (c *Client) Tools(ctx context.Context) (tools *call.Catalog, faults []error, err error) {
	l, err := c.list(ctx, Tools)
	if err != nil {
		return nil, nil, err
	}
	return l.tools, l.faults, nil
}

// A listing is a whole list.
type listing struct {
	pages  []json.RawMessage // as the server wrote them
	tools  *call.Catalog     // of the list of tools
	faults []error           // tools whose definitions cannot be read
	listed time.Time
	until  time.Time // zero: as long as the server does not say that it has changed
}

// fresh reports whether the list was made only a moment ago, so that asking again would
// tell nothing new.
func (l *listing) fresh() bool { return time.Since(l.listed) < time.Second }

// minToolsTTL keeps a server that gives its list no life time (ttlMs 0, the default of an
// SDK) from being asked before every call. It still says list_changed.
const minToolsTTL = time.Minute

// list asks for a whole list.
func (c *Client) list(ctx context.Context, list List) (*listing, error) {
	l := &listing{}
	var tools []*call.Tool
	var ttl time.Duration
	lives := false
	err := c.pages(ctx, list, func(raw json.RawMessage) (page, error) {
		p, err := c.page(list, raw)
		if err != nil {
			return p, err
		}
		if list == Tools {
			some, next, faults, err := call.DecodeTools(raw, c.limits)
			if err != nil {
				return p, err
			}
			p.next = next
			tools, l.faults = append(tools, some...), append(l.faults, faults...)
		}
		if p.lives && (!lives || p.ttl < ttl) {
			ttl, lives = p.ttl, true
		}
		l.pages = append(l.pages, raw)
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	l.listed = time.Now()
	if list == Tools {
		l.tools = call.NewCatalog(tools)
		ttl = max(ttl, minToolsTTL)
	}
	if lives {
		l.until = l.listed.Add(ttl)
	}
	return l, nil
}

// page reads what all pages have.
func (c *Client) page(list List, raw json.RawMessage) (page, error) {
	var p page
	members, err := c.members(raw)
	if err != nil {
		return p, fmt.Errorf("the server's answer to %s is malformed: %w", list, err)
	}
	entries, err := strictjson.Elements(members[list.member()], c.limits)
	if err != nil {
		return p, fmt.Errorf("the server's answer to %s has no %q that is a list", list, list.member())
	}
	p.size = len(entries)
	if cursor := members["nextCursor"]; cursor != nil && string(cursor) != "null" {
		if err := json.Unmarshal(cursor, &p.next); err != nil {
			return p, fmt.Errorf("the server's answer to %s has a cursor that is no string", list)
		}
	}
	if ms, err := strconv.ParseInt(string(members["ttlMs"]), 10, 32); err == nil && ms >= 0 {
		p.ttl, p.lives = time.Duration(ms)*time.Millisecond, true
	}
	return p, nil
}
