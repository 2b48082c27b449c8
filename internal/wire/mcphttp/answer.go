// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// ErrorLine is an error response of JSON-RPC. A nil id is null.
func ErrorLine(id json.RawMessage, code int, message string) []byte {
	return FailureLine(id, code, errors.New(message))
}

// FailureLine is ErrorLine for a failure, which may be a [jsonrpc.Unanswered].
func FailureLine(id json.RawMessage, code int, err error) []byte {
	type body struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	raw, _ := json.Marshal(body{code, err.Error(), jsonrpc.ErrorData(code, err)}) // the parts can be encoded
	return ErrorWith(id, raw)
}

// ErrorWith is ErrorLine with an existing error object.
func ErrorWith(id, body json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), body, []byte("}"))
}

// Deadline bounds the next writes, if the connection supports deadlines.
func Deadline(w http.ResponseWriter, within time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(within))
}

// Write writes a whole answer, and gives the client a time to read it. The content type "" leaves the
// header unchanged.
func Write(w http.ResponseWriter, status int, contentType string, body []byte, within time.Duration) {
	h := w.Header()
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	if status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	h.Set("X-Content-Type-Options", "nosniff")
	Deadline(w, within)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that does not read it is gone
}

// Abort ends the connection of a request without an answer, because its client has closed its side.
// Returning would send a 200, and a client that still listens would take it for an answer.
func Abort() { panic(http.ErrAbortHandler) }
