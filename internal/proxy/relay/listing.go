// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
)

// Bounds of toolvet's own listings.
const (
	maxTools = 10_000
	maxPages = 1_000
	maxBytes = 64 << 20 // of all pages
)

// listPages asks the server for all pages of its tools.
func (x *Exchange) listPages(ctx context.Context, epoch int) (*call.Catalog, error) {
	x.greet(ctx)
	var all []*call.Tool
	cursors := map[string]bool{}
	cursor, size := "", 0
	for range maxPages {
		page, err := x.listPage(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		size += page.Bytes
		switch {
		case size > maxBytes:
			return nil, fmt.Errorf("the server's list of tools is larger than %d MiB", maxBytes>>20)
		case len(all) > maxTools:
			return nil, fmt.Errorf("the server lists more than %d tools", maxTools)
		case page.Next == "":
			tools := call.NewCatalog(all)
			x.server.catalog.learn(tools, size, page.TTL, epoch)
			x.server.door.Listed(x.ctx, tools)
			return tools, nil
		case cursors[page.Next]:
			return nil, errors.New("the server's list of tools never ends: it gives a cursor again")
		}
		cursor = page.Next
		cursors[cursor] = true
	}
	return nil, fmt.Errorf("the server's list of tools has more than %d pages", maxPages)
}

func (x *Exchange) listPage(ctx context.Context, cursor string) (*door.ToolsPage, error) {
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	result, err := x.ask(ctx, "tools/list", params)
	if err != nil {
		return nil, err
	}
	page, err := x.server.door.ReadTools(ctx, result)
	if err != nil {
		return nil, err
	}
	x.logFaults(page)
	return page, nil
}

func (x *Exchange) logFaults(page *door.ToolsPage) {
	for _, fault := range page.Faults {
		x.server.cfg.Logger.Warn("the server lists a tool that cannot be used", "err", fault)
	}
}
