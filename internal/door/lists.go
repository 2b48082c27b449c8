// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Lists reports whether an entry of a list of prompts, resources or templates appears in the lists
// of a session. Sent is the entry as the server sent it, before the output layer. Unreadable entries do
// not appear.
func (d *Door) Lists(ctx context.Context, method string, entry, sent []byte, session *call.Session) bool {
	gate := d.Gate()
	if !inside.Of(gate).Hides() {
		return true
	}
	c := listed.DecodeEntry(method, entry, d.Limits)
	if c == nil {
		return false
	}
	if !bytes.Equal(entry, sent) {
		c.Tool.Sent = sent
	}
	c.Server, c.Session = d.Server, session
	return inside.Of(gate).Lists(ctx, c)
}

// Hide removes the entries from a result of the method that must not appear in the session's lists,
// and reports whether there were any. Sent is the result before the output layer. An error means that
// the result cannot be read.
func (d *Door) Hide(ctx context.Context, method string, result *splice.Document, sent []byte, session *call.Session) (hidden bool, err error) {
	member := listed.Member(method)
	if member == "" || !inside.Of(d.Gate()).Hides() {
		return false, nil
	}
	if err := plainMembers(result.Text(), member, d.Limits); err != nil {
		return false, err
	}
	entries, err := strictjson.Elements(result.Get(member), d.Limits)
	if err != nil {
		return false, err
	}
	before, err := strictjson.Elements(splice.Get(sent, d.Limits, member), d.Limits)
	switch {
	case err != nil:
		return false, err
	case len(before) != len(entries):
		return false, errors.New("the review has changed how many entries there are")
	}
	var kept [][]byte
	for i, e := range entries {
		if d.Lists(ctx, method, e, before[i], session) {
			kept = append(kept, e)
		}
	}
	if len(kept) == len(entries) {
		return false, nil
	}
	return true, result.Set(fmt.Appendf(nil, "[%s]", bytes.Join(kept, []byte(","))), member)
}

// plainMembers refuses a result with a variant of the member, which some readers take for it.
func plainMembers(result []byte, member string, limits call.Limits) error {
	members, err := strictjson.Members(result, limits)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Key != member && bytes.EqualFold([]byte(m.Key), []byte(member)) {
			return fmt.Errorf("the result has a variant of %q", member)
		}
	}
	return nil
}

// Inform adds to c the lists that the gate needs to judge it. List gets one by its method. A list that
// the server does not have is empty. A list that cannot be read stays missing, so the gate refuses c.
func (d *Door) Inform(ctx context.Context, c *call.Call, list func(ctx context.Context, method string) (*call.Catalog, error)) {
	for _, method := range inside.Of(d.Gate()).Needs(c) {
		entries, err := list(ctx, method)
		if answer := coded(nil); errors.As(err, &answer) && answer.ErrorCode() == methodNotFound {
			entries, err = call.NewCatalog(nil), nil
		}
		if err != nil {
			d.Logger.Warn("a list of the server cannot be compared with the lock", "server", d.Server, "list", method, "err", err)
			continue
		}
		c.Know(method, entries)
	}
}

// Bounds of a list.
const (
	maxPages   = 1_000
	maxEntries = 10_000
)

// methodNotFound is the JSON-RPC code for an unknown method.
const methodNotFound = -32601

// Entries gets all pages of a list of prompts, resources or templates. Ask makes the request for one
// page.
func Entries(ctx context.Context, method string, limits call.Limits, ask func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)) (*call.Catalog, error) {
	var all []*call.Tool
	params, cursors := map[string]any{}, map[string]bool{}
	for range maxPages {
		raw, err := ask(ctx, method, params)
		if err != nil {
			return nil, err
		}
		entries, next, _, err := listed.Decode(method, raw, limits)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
		switch {
		case len(all) > maxEntries:
			return nil, fmt.Errorf("the server lists more than %d entries", maxEntries)
		case next == "":
			return call.NewCatalog(all), nil
		case cursors[next]:
			return nil, errors.New("the list never ends: it gives a cursor again")
		}
		cursors[next] = true
		params = map[string]any{"cursor": next}
	}
	return nil, fmt.Errorf("the list has more than %d pages", maxPages)
}
