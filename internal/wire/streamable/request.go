// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"errors"
	"net/http"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// body reads the message of a POST and puts it on one line. If there is none, it answers.
func (f *Front) body(w http.ResponseWriter, r *http.Request) (line []byte, ok bool) {
	if !mcphttp.Accepts(r.Header, jsonType) || !mcphttp.Accepts(r.Header, eventStream) {
		f.refuse(w, http.StatusNotAcceptable, nil, call.InvalidRequest, "the header Accept must list application/json and text/event-stream")
		return nil, false
	}
	text, bad := mcphttp.ReadBody(w, r, f.limits.Bytes, f.cfg.ReadTimeout)
	if bad != nil {
		f.refuse(w, bad.Status, nil, bad.Code(), bad.Message)
		return nil, false
	}
	line, err := oneLine(text)
	if err == nil && len(line) == 0 {
		err = errors.New("the body is empty")
	}
	if err != nil {
		f.refuse(w, http.StatusBadRequest, nil, call.ParseError, err.Error())
		return nil, false
	}
	return line, true
}

// refuse answers with an error of our own. A nil id is null.
func (f *Front) refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	f.log.Info("refused a request", "status", status, "code", code)
	mcphttp.Write(w, status, jsonType, mcphttp.ErrorLine(id, code, message), f.cfg.WriteTimeout)
}

// refuseError refuses a malformed message.
func (f *Front) refuseError(w http.ResponseWriter, id []byte, err error) {
	f.refuse(w, http.StatusBadRequest, id, mcphttp.CodeOf(err), err.Error())
}
