// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"fmt"

	"github.com/toolvet/toolvet/call"
)

// Bounds of a listing, several times what the largest known servers list.
const (
	maxPages     = 1_000
	maxTools     = 10_000
	maxListBytes = 64 << 20
)

// Tools lists the server's tools, all pages. Definitions that cannot be read are
// left out and named in faults; err says that there is no complete list.
func (c *Client) Tools(ctx context.Context) (tools *call.Catalog, faults []error, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var all []*call.Tool
	params, size := map[string]any{}, 0
	cursors := map[string]bool{}
	for range maxPages {
		raw, err := c.request(ctx, "tools/list", params)
		if err != nil {
			return nil, nil, err
		}
		page, next, pageFaults, err := call.DecodeTools(raw, c.limits)
		if err != nil {
			return nil, nil, err
		}
		all, faults, size = append(all, page...), append(faults, pageFaults...), size+len(raw)
		switch {
		case len(all)+len(faults) > maxTools:
			return nil, nil, fmt.Errorf("the server lists more than %d tools", maxTools)
		case size > maxListBytes:
			return nil, nil, fmt.Errorf("the server's list of tools is larger than %d MiB", maxListBytes>>20)
		case next == "":
			return call.NewCatalog(all), faults, nil
		case cursors[next]:
			return nil, nil, fmt.Errorf("the server's list of tools never ends: it gives the same cursor again")
		}
		cursors[next] = true
		params = map[string]any{"cursor": next}
	}
	return nil, nil, fmt.Errorf("the server's list of tools has more than %d pages", maxPages)
}
