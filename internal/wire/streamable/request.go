// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"errors"
	"net/http"

	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// body reads the message of a POST and puts it on one line. A large one takes memory from loan. If there
// is no message, body answers.
func (f *Front) body(w http.ResponseWriter, r *http.Request, loan *budget.Loan) (line []byte, ok bool) {
	if !mcphttp.Accepts(r.Header, jsonType) || !mcphttp.Accepts(r.Header, eventStream) {
		f.refuse(w, http.StatusNotAcceptable, nil, jsonrpc.InvalidRequest, "the header Accept must list application/json and text/event-stream")
		return nil, false
	}
	text, bad := mcphttp.ReadBody(w, r, f.limits.Bytes, f.cfg.ReadTimeout, loan)
	if bad != nil {
		f.refuse(w, bad.Status, nil, bad.Code(), bad.Message)
		return nil, false
	}
	line, err := oneLine(text)
	if err == nil && len(line) == 0 {
		err = errors.New("the body is empty")
	}
	if err != nil {
		f.refuse(w, http.StatusBadRequest, nil, jsonrpc.ParseError, err.Error())
		return nil, false
	}
	return line, true
}

// refuse answers with an error of our own. A nil id is null.
func (f *Front) refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	f.log.Info("refused a request", "status", status, "code", code)
	mcphttp.Write(w, status, jsonType, mcphttp.ErrorLine(id, code, message), f.cfg.WriteTimeout)
}

// refused tells of a message that reaches no session, and returns the error to answer with.
func (f *Front) refused(r *http.Request, m jsonrpc.Envelope, err error) error {
	if f.cfg.Refused != nil {
		_, caller := f.cfg.Caller(r)
		return f.cfg.Refused(r.Context(), caller, m, err)
	}
	return err
}

// refuseMessage is refuse for a message that reaches no session.
func (f *Front) refuseMessage(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, status, code int, message string) {
	f.refused(r, m, errors.New(message))
	f.refuse(w, status, m.ID, code, message)
}

// refuseError refuses a malformed message.
func (f *Front) refuseError(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, err error) {
	err = f.refused(r, m, err)
	f.refuse(w, http.StatusBadRequest, m.ID, mcphttp.CodeOf(err), err.Error())
}
