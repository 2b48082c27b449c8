// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// minTTL keeps a server that gives its list no life time (ttlMs 0, the default of an SDK) from
// being asked before every call. It still says list_changed.
const minTTL = time.Minute

// A ToolsPage is one page of tools/list.
type ToolsPage struct {
	Tools  []*call.Tool
	Next   string        // cursor of the next page, "" on the last
	TTL    time.Duration // 0: until the server says that the list has changed
	Faults []error       // definitions that cannot be read
}

// ReadTools reviews a page as the server sent it and reads what is left of it: a refusal
// describes a tool in the tool's own words, which a model must be able to read.
func (d *Door) ReadTools(ctx context.Context, sent []byte) (*ToolsPage, error) {
	v := d.Review(ctx, &call.Call{Server: d.Server}, "tools/list", sent)
	if !v.Go {
		return nil, errors.New("the server's list of tools is withheld")
	}
	return DecodeTools(v.Raw, sent, d.Limits)
}

// DecodeTools reads a page as it was reviewed. Sent is the page as the server sent it, which
// the lock of definitions compares.
func DecodeTools(reviewed, sent []byte, limits call.Limits) (*ToolsPage, error) {
	var p ToolsPage
	var err error
	if p.Tools, p.Next, p.Faults, err = call.DecodeTools(reviewed, limits); err != nil {
		return nil, err
	}
	if err := p.keepSent(reviewed, sent, limits); err != nil {
		return nil, err
	}
	// ttlMs exists since 2026-07-28 (server/utilities/caching).
	if ms, err := strconv.ParseInt(string(splice.Get(reviewed, limits, "ttlMs")), 10, 32); err == nil && ms >= 0 {
		p.TTL = max(time.Duration(ms)*time.Millisecond, minTTL)
	}
	return &p, nil
}

// keepSent gives the tools the definitions that the server sent.
func (p *ToolsPage) keepSent(reviewed, sent []byte, limits call.Limits) error {
	if bytes.Equal(reviewed, sent) {
		return nil
	}
	after, err := strictjson.Elements(splice.Get(reviewed, limits, "tools"), limits)
	if err != nil {
		return err
	}
	before, err := strictjson.Elements(splice.Get(sent, limits, "tools"), limits)
	if err != nil {
		return err
	}
	if len(before) != len(after) {
		return errors.New("the review has changed how many tools there are")
	}
	for i, t := range p.InOrder(after, limits) {
		if t != nil && !bytes.Equal(after[i], before[i]) {
			t.Sent = bytes.Clone(before[i])
		}
	}
	return nil
}

// InOrder are the tools beside the entries of the page: nil for one that cannot be read.
func (p *ToolsPage) InOrder(entries [][]byte, limits call.Limits) []*call.Tool {
	tools, next := make([]*call.Tool, len(entries)), 0
	for i, raw := range entries {
		if _, err := call.DecodeTool(raw, limits); err == nil && next < len(p.Tools) {
			tools[i] = p.Tools[next]
			next++
		}
	}
	return tools
}
