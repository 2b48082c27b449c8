// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
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

// UnansweredIn is the inverse of [ErrorData], for a whole error. It returns nil if the error is a server's own. A server may imitate one, so a caller
// asks only about errors that toolvet has written or has passed through [OfServer].
func UnansweredIn(raw json.RawMessage) *Unanswered {
	var e struct {
		Code    int
		Message string
		Data    map[string]*Unanswered
	}
	if json.Unmarshal(raw, &e) != nil || e.Code != InternalError || e.Data[UnansweredKey] == nil {
		return nil
	}
	u := e.Data[UnansweredKey]
	u.Err = errors.New(strictjson.Printable(e.Message, 200))
	return u
}

// OfServer returns an error of a server, without its data if the server imitates an [Unanswered] there.
func OfServer(raw json.RawMessage) json.RawMessage {
	if UnansweredIn(raw) == nil {
		return raw
	}
	var e struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &e) // it has been read
	own, _ := json.Marshal(e)
	return own
}
