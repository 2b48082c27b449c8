// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// ErrorLine is an answer of JSON-RPC that says why there is no other. A nil id is null.
func ErrorLine(id json.RawMessage, code int, message string) []byte {
	type body struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	raw, _ := json.Marshal(body{code, message}) // a string and a number can be encoded
	return ErrorWith(id, raw)
}

// ErrorWith is ErrorLine with an error object that is there already.
func ErrorWith(id, body json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), body, []byte("}"))
}

// Deadline bounds the next writes, if the connection knows deadlines.
func Deadline(w http.ResponseWriter, within time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(within))
}

// Write writes a whole answer, which the client must take within a time. The content type ""
// leaves the header as it is.
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
	_, _ = w.Write(body) // a client that does not take it is gone
}

// Abort ends the connection of a request that will not be answered, since its client has closed
// its side. To return would be to say 200, and a client that still listens would take it for an
// answer.
func Abort() { panic(http.ErrAbortHandler) }
