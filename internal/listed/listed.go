// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package listed reads the lists of prompts, resources and resource templates, and tells which requests their entries are for.
package listed

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// The methods of these lists.
const (
	Prompts   = "prompts/list"
	Resources = "resources/list"
	Templates = "resources/templates/list"
)

// A list is one of prompts, resources or templates.
type list struct {
	member   string // of the result
	key      string // of an entry: its name or its URI
	method   string // of the requests that an entry is for
	argument string // their param that names the entry; "" if an entry stands for many
}

var lists = map[string]list{
	Prompts:   {"prompts", "name", "prompts/get", "name"},
	Resources: {"resources", "uri", "resources/read", "uri"},
	Templates: {"resourceTemplates", "uriTemplate", "resources/read", ""},
}

// Member returns the member of the result of a list of prompts, resources or templates that
// holds its entries; "" for other methods.
func Member(method string) string { return lists[method].member }

// Key returns the member that identifies an entry of such a list; "" for other methods.
func Key(method string) string { return lists[method].key }

// DecodeEntry reads an entry of a list of prompts, resources or templates. It returns the request
// that the entry is for, with those params that the entry tells, or nil if the entry cannot be read.
// Its tool is the entry's definition, named by the entry's name or URI. The request shares no memory
// with entry.
func DecodeEntry(method string, entry []byte, limits call.Limits) *call.Call {
	return decodeEntry(method, bytes.Clone(entry), limits)
}

// decodeEntry is DecodeEntry, but keeps entry.
func decodeEntry(method string, entry []byte, limits call.Limits) *call.Call {
	l, ok := lists[method]
	if !ok {
		return nil
	}
	members, err := strictjson.Members(entry, limits)
	if err != nil {
		return nil
	}
	c := &call.Call{Method: l.method, Name: l.method, List: method}
	for _, m := range members {
		if jsonrpc.VariantError(m.Key, []string{l.key}, jsonrpc.InvalidRequest, "") != nil {
			return nil
		}
		if m.Key != l.key {
			continue
		}
		name, ok := jsonrpc.String(m.Raw)
		if !ok {
			return nil
		}
		c.Tool = &call.Tool{Name: name, Raw: entry, InputSchema: call.RequestOf(l.method).Tool.InputSchema}
		if l.argument != "" {
			c.Arguments = map[string]any{l.argument: name}
		}
	}
	if c.Tool == nil {
		return nil
	}
	return c
}

// Decode reads the result of a list of prompts, resources or templates: one page of definitions,
// and the cursor of the next page, "" on the last. It leaves out entries that cannot be read, and counts
// them in unread. The definitions do not share memory with result.
func Decode(method string, result []byte, limits call.Limits) (entries []*call.Tool, nextCursor string, unread int, err error) {
	l, ok := lists[method]
	if !ok {
		return nil, "", 0, fmt.Errorf("%q is no list of entries", method)
	}
	members, err := strictjson.Members(bytes.Clone(result), limits)
	if err != nil {
		return nil, "", 0, fmt.Errorf("the result of %s is malformed: %w", method, err)
	}
	var found [][]byte
	listed := false
	for _, m := range members {
		if err := jsonrpc.VariantError(m.Key, []string{l.member, "nextCursor"}, jsonrpc.InvalidRequest, "the result"); err != nil {
			return nil, "", 0, err
		}
		switch m.Key {
		case l.member:
			if found, err = strictjson.Elements(m.Raw, limits); err != nil {
				return nil, "", 0, fmt.Errorf("%q in the result of %s is malformed: %w", l.member, method, err)
			}
			listed = true
		case "nextCursor":
			nextCursor, _ = jsonrpc.String(m.Raw)
		}
	}
	if !listed {
		return nil, "", 0, errors.New("the result of " + method + " has no list")
	}
	for _, raw := range found {
		c := decodeEntry(method, raw, limits)
		if c == nil {
			unread++
			continue
		}
		entries = append(entries, c.Tool)
	}
	return entries, nextCursor, unread, nil
}
