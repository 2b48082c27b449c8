// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"encoding/json"
	"errors"
)

// The kinds of an [Unanswered].
const (
	Unreachable  = "unreachable"   // the network does not lead to the server
	WrongAddress = "wrong-address" // nothing answers at the URL, or it leads elsewhere: the message says what to correct
)

// An Unanswered reports a request without an answer of the server. toolvet answers in its place, with [InternalError]; the data of
// that error has the Unanswered as [UnansweredKey], so that no reader tells the failure by the message.
type Unanswered struct {
	Kind   string `json:"kind,omitempty"`
	Status int    `json:"status,omitempty"` // of HTTP, if the server answers with an error status alone
	Err    error  `json:"-"`                // the message
}

// UnansweredKey is the key of an [Unanswered] in the data of an error.
const UnansweredKey = "io.github.toolvet/unanswered"

func (u *Unanswered) Error() string { return u.Err.Error() }

// Unwrap returns Err.
func (u *Unanswered) Unwrap() error { return u.Err }

// ErrorData returns the data of an error of toolvet's own with a code, because of err: an [Unanswered] for InternalError, otherwise nil.
func ErrorData(code int, err error) json.RawMessage {
	if code != InternalError {
		return nil
	}
	why, ok := errors.AsType[*Unanswered](err)
	if !ok {
		why = new(Unanswered)
	}
	data, _ := json.Marshal(map[string]*Unanswered{UnansweredKey: why}) // strings and numbers can be encoded
	return data
}

// UnansweredIn is the inverse of [ErrorData]. It returns nil if the error is a server's own. A server may imitate one: only the fields count that
// toolvet writes.
func UnansweredIn(code int, message string, data json.RawMessage) *Unanswered {
	var known map[string]*Unanswered
	if code != InternalError || json.Unmarshal(data, &known) != nil || known[UnansweredKey] == nil {
		return nil
	}
	u := known[UnansweredKey]
	if u.Err = errors.New(message); u.Kind != Unreachable && u.Kind != WrongAddress {
		u.Kind = ""
	}
	if u.Status < 100 || u.Status > 599 {
		u.Status = 0
	}
	return u
}
