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

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of a listing, several times the size of the largest known ones.
const (
	maxPages     = 1_000
	maxEntries   = 10_000
	maxListBytes = 64 << 20
)

// A listName is one of the lists of a server.
type listName string

// The lists, named by their methods.
const (
	toolsList     listName = "tools/list"
	promptsList   listName = "prompts/list"
	resourcesList listName = "resources/list"
	templatesList listName = "resources/templates/list"
)

// allLists holds all lists.
var allLists = []listName{toolsList, promptsList, resourcesList, templatesList}

// member returns the key of the entries in a page.
func (l listName) member() string {
	if l == templatesList {
		return "resourceTemplates"
	}
	return l.capability()
}

// capability returns the list's key in a server's capabilities.
func (l listName) capability() string {
	name, _, _ := strings.Cut(string(l), "/")
	return name
}

// changed returns the method of the notification for a changed list.
func (l listName) changed() string { return "notifications/" + l.capability() + "/list_changed" }

// A page is one result of a list.
type page struct {
	next  string // cursor, "" on the last
	size  int    // entries
	ttl   time.Duration
	lives bool // ttl is given (2026-07-28, server/utilities/caching)
}

// pages asks for all pages of a list and calls take with each.
func (c *client) pages(ctx context.Context, list listName, take func(raw json.RawMessage) (page, error)) error {
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
func (l listName) what() string {
	if l == templatesList {
		return "resource templates"
	}
	return l.capability()
}

func (c *client) Tools(ctx context.Context) (tools *call.Catalog, faults []error, err error) {
	l, err := c.list(ctx, toolsList)
	if err != nil {
		return nil, nil, err
	}
	return l.tools, l.faults, nil
}

func (c *client) Entries(ctx context.Context, method string) (entries *call.Catalog, faults []error, err error) {
	list := listName(method)
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
func (c *client) list(ctx context.Context, list listName) (*listing, error) {
	l := &listing{}
	var tools []*call.Tool
	var ttl time.Duration
	lives := false
	err := c.pages(ctx, list, func(raw json.RawMessage) (page, error) {
		p, err := c.page(list, raw)
		if err != nil {
			return p, err
		}
		if list == toolsList {
			some, next, faults, err := call.DecodeTools(raw, c.limits)
			if err != nil {
				return p, err
			}
			p.next = next
			tools, l.faults = append(tools, some...), append(l.faults, faults...)
		} else {
			some, _, unread, err := listed.Decode(string(list), raw, c.limits)
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
	if list == toolsList {
		ttl = max(ttl, minToolsTTL)
	}
	if lives {
		l.until = l.listed.Add(ttl)
	}
	return l, nil
}

// page reads the members common to all pages.
func (c *client) page(list listName, raw json.RawMessage) (page, error) {
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
