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

// minTTL saves a request before every call to a server that sends ttlMs 0, the default of an
// SDK. Such a server still announces changes with list_changed.
const minTTL = time.Minute

// A ToolsPage is one page of tools/list.
type ToolsPage struct {
	Tools  []*call.Tool
	Next   string        // cursor of the next page, "" on the last
	TTL    time.Duration // 0: until the server announces a change
	Faults []error       // errors of unreadable definitions
	Bytes  int           // of the page, all of which its tools keep in memory
}

// ReadTools reviews a page from the server and decodes the reviewed text. The review comes
// first because refusals quote tool descriptions to the model.
func (d *Door) ReadTools(ctx context.Context, sent []byte) (*ToolsPage, error) {
	v := d.Review(ctx, &call.Call{Server: d.Server}, "tools/list", sent)
	if !v.Go {
		return nil, errors.New("the server's list of tools is withheld")
	}
	return DecodeTools(v.Raw, sentOf(&v, sent), d.Limits)
}

// DecodeTools decodes a reviewed page. Sent is the server's original page, for comparison with
// the lock of definitions.
func DecodeTools(reviewed, sent []byte, limits call.Limits) (*ToolsPage, error) {
	p := ToolsPage{Bytes: len(reviewed)}
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

// keepSent stores the server's original definitions in the tools.
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

// InOrder returns a tool for each entry of the page, or nil for an unreadable entry.
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
