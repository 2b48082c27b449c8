// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpheader

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// HeaderMismatch is the error code for headers and bodies that disagree.
const HeaderMismatch = -32020

// BodyVersion returns the revision in the params of a message; "" before 2026-07-28.
func BodyVersion(params json.RawMessage, limits strictjson.Limits) string {
	meta := member(params, "_meta", limits)
	version, _ := textOf(member(meta, jsonrpc.RevisionKey, limits), limits)
	return version
}

// NameOf returns the value for the header Mcp-Name; false if the message has none.
func NameOf(m jsonrpc.Envelope, limits strictjson.Limits) (string, bool) {
	switch m.Method {
	case "tools/call", "prompts/get":
		return textOf(member(m.Params, "name", limits), limits)
	case "resources/read":
		return textOf(member(m.Params, "uri", limits), limits)
	}
	return "", false
}

// Set sets the headers that mirror a request of 2026-07-28 or later. Mirrors belong to the called tool.
func Set(h http.Header, m jsonrpc.Envelope, mirrors []Mirror, limits strictjson.Limits) {
	h.Set(Version, Encode(BodyVersion(m.Params, limits)))
	h.Set(Method, Encode(m.Method))
	if name, ok := NameOf(m, limits); ok {
		h.Set(Name, Encode(name))
	}
	if len(mirrors) == 0 {
		return
	}
	arguments := member(m.Params, "arguments", limits)
	for _, mirror := range mirrors {
		if value, ok := mirror.Value(arguments, limits); ok {
			h.Set(mirror.Header, Encode(value))
		}
	}
}

// Check compares the headers of a request of 2026-07-28 or later with its body. Its error describes a
// difference without any value.
func Check(h http.Header, m jsonrpc.Envelope, mirrors []Mirror, limits strictjson.Limits) error {
	if err := one(h, Version, same(BodyVersion(m.Params, limits))); err != nil {
		return err
	}
	if err := one(h, Method, same(m.Method)); err != nil {
		return err
	}
	if name, ok := NameOf(m, limits); ok {
		if err := one(h, Name, decoded(same(name))); err != nil {
			return err
		}
	}
	if len(mirrors) == 0 {
		return nil
	}
	arguments := member(m.Params, "arguments", limits)
	for _, mirror := range mirrors {
		if err := mirror.check(h, arguments, limits); err != nil {
			return err
		}
	}
	return nil
}

// CheckOlder is Check for a message of an older revision. It checks only existing headers, because
// another proxy may act on them.
func CheckOlder(h http.Header, m jsonrpc.Envelope, limits strictjson.Limits) error {
	if len(h.Values(Method)) > 0 {
		if err := one(h, Method, same(m.Method)); err != nil {
			return err
		}
	}
	name, ok := NameOf(m, limits)
	if !ok || len(h.Values(Name)) == 0 {
		return nil
	}
	return one(h, Name, decoded(same(name)))
}

// CheckSent compares the existing headers that mirror arguments of a tools/call with the arguments.
func CheckSent(h http.Header, arguments json.RawMessage, mirrors []Mirror, limits strictjson.Limits) error {
	for _, mirror := range mirrors {
		if !mirror.sent(h) {
			continue
		}
		if err := mirror.check(h, arguments, limits); err != nil {
			return err
		}
	}
	return nil
}

// sent reports whether the headers have that of m, or one that servers could take for it.
func (m Mirror) sent(h http.Header) bool {
	for name := range h {
		if Plain(name) == Plain(m.Header) {
			return true
		}
	}
	return false
}

// Plain returns the canonical name of a header with hyphens in place of other signs. Two headers with
// the same plain name are one header to servers behind CGI and the like.
func Plain(name string) string {
	return http.CanonicalHeaderKey(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name))
}

func (m Mirror) check(h http.Header, arguments []byte, limits strictjson.Limits) error {
	for name := range h {
		if plain := Plain(name); name != http.CanonicalHeaderKey(m.Header) && plain == Plain(m.Header) {
			return fmt.Errorf("a header differs from %s by signs alone, and servers could take it for that", http.CanonicalHeaderKey(m.Header))
		}
	}
	raw := m.find(arguments, limits)
	want, ok := textOf(raw, limits)
	switch {
	case !ok && len(h.Values(m.Header)) > 0:
		return fmt.Errorf("the header %s mirrors an argument that the body does not have", http.CanonicalHeaderKey(m.Header))
	case !ok:
		return nil
	case isNumber(raw):
		// As the specification wants it: 42.0 is 42. Not all readers take an exponent.
		return one(h, m.Header, decoded(func(got string) bool {
			return got == want || isNumber([]byte(got)) && !strings.ContainsAny(got, "eE") && integer(got) == want
		}))
	}
	return one(h, m.Header, decoded(same(want)))
}

// one checks the value of one header.
func one(h http.Header, name string, matches func(string) bool) error {
	name = http.CanonicalHeaderKey(name)
	values := h.Values(name)
	if len(values) != 1 {
		return fmt.Errorf("the header %s must occur once", name)
	}
	if !matches(values[0]) {
		return fmt.Errorf("the header %s does not match the body", name)
	}
	return nil
}

func same(want string) func(string) bool { return func(got string) bool { return got == want } }

func decoded(matches func(string) bool) func(string) bool {
	return func(got string) bool {
		value, ok := Decode(got)
		return ok && matches(value)
	}
}

// isNumber reports whether raw is a JSON number, and short enough to compare.
func isNumber(raw []byte) bool {
	v, err := strictjson.Parse(raw, strictjson.Limits{Bytes: 64})
	_, ok := v.(json.Number)
	return err == nil && ok
}
