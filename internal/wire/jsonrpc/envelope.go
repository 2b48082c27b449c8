// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// An Envelope is one JSON-RPC 2.0 message. The raw fields are parts of the text
// that was decoded.
type Envelope struct {
	ID     json.RawMessage // nil for a notification
	Method string          // "" for a response
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
	Other  bool // there are members that JSON-RPC does not know, or a result beside an error

	// Unread is the error of a tools/call that cannot be read as a whole, while its own members can. If its
	// params are at fault, their reader knows the place better, and reads a dry run of such a call.
	// A reader that goes on with the message must refuse it if the params turn out to be good. Else nil.
	Unread error

	members []strictjson.Member
}

// Members returns the members of the message in the order of its text, for a reader that
// needs their positions.
func (m *Envelope) Members() []strictjson.Member { return m.members }

// IsRequest reports whether m asks for an answer.
func (m *Envelope) IsRequest() bool { return m.Method != "" && m.ID != nil }

var envelopeKeys = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// DecodeEnvelope reads one JSON-RPC message, and keeps parts of line. Its own keys are read strictly; of
// params, result and error only the syntax is checked. The error is an *[Error];
// the envelope beside it holds the id if it could be read, so that the message
// can be answered, and the method if that is tools/call, so that it can be recorded.
// If the members of a tools/call can be told apart, the envelope is whole but for
// its faults, and the error is its Unread.
func DecodeEnvelope(line []byte, limits strictjson.Limits) (Envelope, error) {
	var m Envelope
	members, err := strictjson.Members(line, limits)
	if err != nil {
		if m := outlined(line, limits); m.Method == ToolsCall && m.IsRequest() && m.Params != nil {
			m.Unread = NewError(envelopeCode(err), "the message", err)
			return m, m.Unread
		}
		found := Recover(bytes.NewReader(line))
		m.ID = found.ID
		if found.Call {
			m.Method = "tools/call"
		}
		return m, NewError(envelopeCode(err), "the message", err)
	}
	for _, member := range members {
		if err := m.set(member); err != nil {
			return remains(members), err
		}
	}
	if err := m.check(members); err != nil {
		return remains(members), err
	}
	m.members = members
	return m, nil
}

// outlined returns the envelope of a message with a fault in the value of a member, or the zero Envelope.
func outlined(line []byte, limits strictjson.Limits) (m Envelope) {
	members, err := strictjson.Outline(line, limits)
	if err != nil {
		return Envelope{}
	}
	for _, member := range members {
		if m.set(member) != nil {
			return Envelope{}
		}
	}
	if m.check(members) != nil {
		return Envelope{}
	}
	m.members = members
	return m
}

// envelopeCode distinguishes JSON that is not a message from text that is not JSON.
func envelopeCode(err error) int {
	var e *strictjson.Error
	if !errors.As(err, &e) {
		return ParseError
	}
	switch e.Kind {
	case strictjson.DuplicateKey, strictjson.NULKey, strictjson.NotObject, strictjson.TooLarge, strictjson.TooDeep:
		return InvalidRequest
	}
	return ParseError
}

func (m *Envelope) set(member strictjson.Member) error {
	switch member.Key {
	case "jsonrpc":
		if version, _ := String(member.Raw); version != "2.0" {
			return &Error{Code: InvalidRequest, Message: `"jsonrpc" must be "2.0"`}
		}
	case "id":
		// A response may have the id null, to a message whose id could not be read.
		id, ok := canonicalID(member.Raw)
		if !ok && string(member.Raw) != "null" {
			return &Error{Code: InvalidRequest, Message: fmt.Sprintf(`"id" must be a string or an integer within ±%d, short and without U+0000`, MaxInteger)}
		}
		m.ID = id
	case "method":
		method, ok := String(member.Raw)
		if !ok || method == "" {
			return &Error{Code: InvalidRequest, Message: `"method" must be a string that is not empty`}
		}
		if HoldsNUL(method) {
			return NULError(InvalidRequest, `"method"`)
		}
		m.Method = method
	case "params":
		m.Params = member.Raw
	case "result":
		m.Result = member.Raw
	case "error":
		m.Error = member.Raw
	default:
		m.Other = true
		return VariantError(member.Key, envelopeKeys, InvalidRequest, "the message")
	}
	return nil
}

func (m *Envelope) check(members []strictjson.Member) error {
	has := func(key string) bool {
		return slices.ContainsFunc(members, func(m strictjson.Member) bool { return m.Key == key })
	}
	answer := has("result") || has("error")
	m.Other = m.Other || has("result") && has("error")
	switch {
	case !has("jsonrpc"):
		return &Error{Code: InvalidRequest, Message: `"jsonrpc" is missing: it must be "2.0"`}
	case m.Method == "" && !answer:
		return &Error{Code: InvalidRequest, Message: `the message has no "method", no "result" and no "error"`}
	case m.Method != "" && answer:
		return &Error{Code: InvalidRequest, Message: `the message is a request and a response at once: send "method", or "result" or "error"`}
	case m.Method != "" && m.ID == nil && has("id"):
		return &Error{Code: InvalidRequest, Message: `"id" of a request must not be null`}
	case m.ID != nil && KnownNotification(m.Method):
		// Some readers act on it and never answer, others refuse it.
		return &Error{Code: InvalidRequest, Message: "the method is a notification, which has no \"id\""}
	}
	return nil
}

// remains is what can be told of a message that is refused for one of its members.
func remains(members []strictjson.Member) (m Envelope) {
	for _, member := range members {
		switch member.Key {
		case "id":
			m.ID, _ = canonicalID(member.Raw)
		case "method":
			// A reader in C takes "tools/call\u0000" for a call.
			method, _ := String(member.Raw)
			if method, _, _ = strings.Cut(method, "\x00"); method == "tools/call" {
				m.Method = method
			}
		}
	}
	return m
}

// Bounds of an id.
const (
	maxID      = 1024      // bytes
	MaxInteger = 1<<53 - 1 // above, readers that use doubles take one id for another
)

// canonicalID accepts the ids that every JSON reader gives back unchanged: integers within ±2^53 and
// strings without U+0000 (MCP, basic/index, Requests). An id of 1.0 would come back as 1.
func canonicalID(raw []byte) (json.RawMessage, bool) {
	if len(raw) == 0 || len(raw) > maxID {
		return nil, false
	}
	s, ok := String(raw)
	if ok && !HoldsNUL(s) || IsInteger(string(raw)) {
		return raw, true
	}
	return nil, false
}

// IsInteger reports whether s is an integer within ±2^53 as JSON.stringify writes it.
func IsInteger(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && -MaxInteger <= n && n <= MaxInteger && strconv.FormatInt(n, 10) == s
}

// ValidID reports whether a JSON text is an id or a token that every reader gives back unchanged: an
// integer within ±2^53, or a short string without U+0000.
func ValidID(raw json.RawMessage) bool {
	_, ok := canonicalID(raw)
	return ok
}

// IDKey returns a key under which an id is found again, however its sender spelt it: "a" and "\u0061"
// are one id. So are 1 and "1", because the SDKs in TypeScript and Python take an answer with the one
// for the answer to the other.
func IDKey(id json.RawMessage) string {
	s, ok := String(id)
	switch {
	case !ok:
		return string(id)
	case IsInteger(s):
		return s
	}
	return `"` + s
}

// String returns the string that a JSON text is, and false for any other text.
func String(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if plain := raw[1 : len(raw)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return string(plain), true
	}
	v, err := strictjson.Parse(raw, strictjson.Limits{})
	s, ok := v.(string)
	return s, ok && err == nil
}

// VariantError refuses a key that some readers would take for a known one:
// encoding/json matches in any case.
func VariantError(key string, known []string, code int, what string) error {
	for _, k := range known {
		if key != k && strings.EqualFold(key, k) {
			return &Error{Code: code, Message: fmt.Sprintf(
				"%s has the key %s, which some readers take for %q: spell it %q", what, QuoteKey(key), k, k)}
		}
	}
	return nil
}

// QuoteKey returns a key of the sender's choice in a form that is safe to print.
func QuoteKey(key string) string { return strconv.Quote(strictjson.Printable(key, 64)) }
