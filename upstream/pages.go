// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of a listing, several times the size of the largest known ones.
const (
	maxPages     = 1_000
	maxEntries   = 10_000
	maxListBytes = 64 << 20
)

// A List is one of the lists of a server.
type List string

// The lists, named by their methods.
const (
	Tools             List = "tools/list"
	Prompts           List = "prompts/list"
	Resources         List = "resources/list"
	ResourceTemplates List = "resources/templates/list"
)

// allLists holds all lists.
var allLists = []List{Tools, Prompts, Resources, ResourceTemplates}

// member returns the key of the entries in a page.
func (l List) member() string {
	if l == ResourceTemplates {
		return "resourceTemplates"
	}
	return l.capability()
}

// capability returns the list's key in a server's capabilities.
func (l List) capability() string {
	name, _, _ := strings.Cut(string(l), "/")
	return name
}

// changed returns the method of the notification for a changed list.
func (l List) changed() string { return "notifications/" + l.capability() + "/list_changed" }

// A page is one result of a list.
type page struct {
	next  string // cursor, "" on the last
	size  int    // entries
	ttl   time.Duration
	lives bool // ttl is given (2026-07-28, server/utilities/caching)
}

// pages asks for all pages of a list and calls take with each.
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

// what names the entries in errors.
func (l List) what() string {
	if l == ResourceTemplates {
		return "resource templates"
	}
	return l.capability()
}

// Tools lists the server's tools, all pages. It leaves out unreadable definitions and reports
// them in faults. Err is not nil if the list is incomplete.
func (c *Client) Tools(ctx context.Context) (tools *call.Catalog, faults []error, err error) {
	l, err := c.list(ctx, Tools)
	if err != nil {
		return nil, nil, err
	}
	return l.tools, l.faults, nil
}

// Entries is Tools for the server's prompts, resources or resource templates. The catalog names them by
// their names or URIs. It is empty if the server has no such list.
func (c *Client) Entries(ctx context.Context, list List) (entries *call.Catalog, faults []error, err error) {
	if !announces(c.capabilities, list.capability()) {
		return call.NewCatalog(nil), nil, nil
	}
	l, err := c.list(ctx, list)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused) && refused.Code == methodNotFound:
		return call.NewCatalog(nil), nil, nil
	case err != nil:
		return nil, nil, err
	}
	return l.tools, l.faults, nil
}

// A listing is a whole list.
type listing struct {
	pages  []json.RawMessage // as the server wrote them
	tools  *call.Catalog     // the entries; of tools, as the output layer left them
	faults []error           // of tools with unreadable definitions
	listed time.Time
	until  time.Time // zero: until the server reports a change
}

// fresh reports whether the list is too new for another request to be worthwhile.
func (l *listing) fresh() bool { return time.Since(l.listed) < time.Second }

// minToolsTTL avoids asking for the tools before every call if the server gives its list no
// life time (ttlMs 0, the default of an SDK). Such a server still sends list_changed.
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
		} else {
			some, _, unread, err := call.DecodeList(string(list), raw, c.limits)
			if err != nil {
				return p, err
			}
			tools = append(tools, some...)
			if unread > 0 {
				l.faults = append(l.faults, fmt.Errorf("%d of the %s on a page cannot be read", unread, list.what()))
			}
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
	l.tools = call.NewCatalog(tools)
	if list == Tools {
		ttl = max(ttl, minToolsTTL)
	}
	if lives {
		l.until = l.listed.Add(ttl)
	}
	return l, nil
}

// page reads the members common to all pages.
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
