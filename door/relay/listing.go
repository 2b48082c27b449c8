// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of a listing of the proxy's own.
const (
	maxTools = 10_000
	maxPages = 1_000
	// minTTL keeps a server that gives its list no life time (ttlMs 0, the default
	// of an SDK) from being asked before every call. It still says list_changed.
	minTTL = time.Minute
)

// A listing is one page of tools/list.
type listing struct {
	tools  []*call.Tool
	next   string        // cursor of the next page, "" on the last
	ttl    time.Duration // 0: until the server says that it has changed
	faults []error       // definitions that cannot be read
}

// decodeListing reads a page as it was reviewed; sent is the page as the server sent it.
func decodeListing(result, sent []byte, limits call.Limits) (*listing, error) {
	var l listing
	var err error
	if l.tools, l.next, l.faults, err = call.DecodeTools(result, limits); err != nil {
		return nil, err
	}
	if err := l.keepSent(result, sent, limits); err != nil {
		return nil, err
	}
	// ttlMs exists since 2026-07-28 (server/utilities/caching).
	if ms, err := strconv.ParseInt(string(splice.Get(result, limits, "ttlMs")), 10, 32); err == nil && ms >= 0 {
		l.ttl = max(time.Duration(ms)*time.Millisecond, minTTL)
	}
	return &l, nil
}

// keepSent gives the tools the definitions that the server sent, which the lock compares.
func (l *listing) keepSent(result, sent []byte, limits call.Limits) error {
	if bytes.Equal(result, sent) {
		return nil
	}
	reviewed, err := strictjson.Elements(splice.Get(result, limits, "tools"), limits)
	if err != nil {
		return err
	}
	before, err := strictjson.Elements(splice.Get(sent, limits, "tools"), limits)
	if err != nil {
		return err
	}
	if len(before) != len(reviewed) {
		return errors.New("the review has changed how many tools there are")
	}
	for i, t := range l.inOrder(reviewed, limits) {
		if t != nil && !bytes.Equal(reviewed[i], before[i]) {
			t.Sent = bytes.Clone(before[i])
		}
	}
	return nil
}

// inOrder are the tools beside the entries of the page: nil for one that cannot be read.
func (l *listing) inOrder(entries [][]byte, limits call.Limits) []*call.Tool {
	tools, next := make([]*call.Tool, len(entries)), 0
	for i, raw := range entries {
		if _, err := call.DecodeTool(raw, limits); err == nil && next < len(l.tools) {
			tools[i] = l.tools[next]
			next++
		}
	}
	return tools
}

// listPages asks the server for all pages of its tools.
func (p *Exchange) listPages(ctx context.Context, epoch int) (*call.Catalog, error) {
	var all []*call.Tool
	cursors := map[string]bool{}
	cursor := ""
	for range maxPages {
		page, err := p.listPage(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, page.tools...)
		switch {
		case len(all) > maxTools:
			return nil, fmt.Errorf("the server lists more than %d tools", maxTools)
		case page.next == "":
			tools := call.NewCatalog(all)
			p.catalog.learn(tools, page.ttl, epoch)
			p.listed(tools)
			return tools, nil
		case cursors[page.next]:
			return nil, errors.New("the server's list of tools never ends: it gives a cursor again")
		}
		cursor = page.next
		cursors[cursor] = true
	}
	return nil, fmt.Errorf("the server's list of tools has more than %d pages", maxPages)
}

func (p *Exchange) listPage(ctx context.Context, cursor string) (*listing, error) {
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	result, err := p.ask(ctx, "tools/list", params)
	if err != nil {
		return nil, err
	}
	// As the client's own lists are: what a refusal says of a tool, it says in the tool's words.
	v := p.look(p.gate(), &call.Call{Server: p.cfg.Server}, "tools/list", result)
	if !v.Go {
		return nil, errors.New("the server's list of tools is withheld")
	}
	page, err := decodeListing(v.Raw, result, p.limits)
	if err != nil {
		return nil, err
	}
	p.logFaults(page)
	return page, nil
}

func (p *Exchange) logFaults(page *listing) {
	for _, fault := range page.faults {
		p.log.Warn("the server lists a tool that cannot be used", "err", fault)
	}
}

// ErrServerGone is the error of [Link.Ask] if the server is gone, and whoever had messages
// on their way to it is answered by whoever saw it go.
var ErrServerGone = errors.New("the server is gone")

// ask sends the server a request of the proxy's own and returns its result.
func (p *Exchange) ask(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	if meta := p.meta.Load(); meta != nil {
		params["_meta"] = *meta
	}
	id := fmt.Sprintf("%q", p.cfg.PrivatePrefix+strconv.FormatInt(p.privateID.Add(1), 10))
	answer := make(chan call.Envelope, 1)
	p.private.Store(call.IDKey(json.RawMessage(id)), answer)
	defer p.private.Delete(call.IDKey(json.RawMessage(id)))
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	// A server that reads nothing must not hold up whoever waits for the answer.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		err := p.link.Ask(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, body))
		if err != nil {
			failed <- err
		}
	}()
	select {
	case m := <-answer:
		return p.resultOf(method, m)
	case err := <-failed:
		select {
		case m := <-answer: // before that
			return p.resultOf(method, m)
		default:
			return nil, err
		}
	case <-ctx.Done():
		return nil, fmt.Errorf("the server did not answer %s in time: %w", method, ctx.Err())
	}
}

func (p *Exchange) resultOf(method string, m call.Envelope) (json.RawMessage, error) {
	switch {
	case m.Result == nil && m.Error == nil:
		return nil, fmt.Errorf("the server's answer to %s is not valid JSON-RPC", method)
	case m.Result == nil:
		return nil, fmt.Errorf("the server answers %s with the error %s", method, splice.Get(m.Error, p.limits, "code"))
	}
	return m.Result, nil
}
