// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/mcpheader"
	"github.com/toolvet/toolvet/internal/sse"
)

const eventStream = sse.ContentType

// bodyTimeout bounds how long a client may take to send a message.
const bodyTimeout = time.Minute

// body reads the message of a POST, on one line. If there is none, it answers.
func (f *Front) body(w http.ResponseWriter, r *http.Request) (line []byte, ok bool) {
	const tooLarge = "the message is larger than the limit: send less at once"
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // what cannot be read is none
	charset, encoding := params["charset"], r.Header.Get("Content-Encoding")
	switch {
	case kind != jsonType, charset != "" && !strings.EqualFold(charset, "utf-8"), encoding != "" && encoding != "identity":
		refuse(w, http.StatusUnsupportedMediaType, nil, call.InvalidRequest, "the body must be application/json, in UTF-8 and not compressed")
		return nil, false
	case r.ContentLength > int64(f.limits.Bytes):
		w.Header().Set("Connection", "close") // it is not read
		refuse(w, http.StatusRequestEntityTooLarge, nil, call.InvalidRequest, tooLarge)
		return nil, false
	case !accepts(r, jsonType) || !accepts(r, eventStream):
		refuse(w, http.StatusNotAcceptable, nil, call.InvalidRequest, "the header Accept must list application/json and text/event-stream")
		return nil, false
	}
	// A connection that knows no deadlines has none.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(f.limits.Bytes)))
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		refuse(w, http.StatusRequestEntityTooLarge, nil, call.InvalidRequest, tooLarge)
		return nil, false
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, http.StatusRequestTimeout, nil, call.InvalidRequest, "the message did not come in time")
		return nil, false
	case err != nil:
		refuse(w, http.StatusBadRequest, nil, call.InvalidRequest, "the message broke off")
		return nil, false
	}
	line, err = oneLine(text)
	if err == nil && len(line) == 0 {
		err = errors.New("the body is empty")
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, nil, call.ParseError, err.Error())
		return nil, false
	}
	return line, true
}

// single are the headers of which there must be one at most: two readers could take
// different ones. Those that mirror a body are checked with it.
var single = []string{"Content-Type", "Content-Encoding", sessionHeader, mcpheader.Version, lastHeader}

// repeated is a header of single that is given more than once, or "".
func repeated(h http.Header) string {
	for _, name := range single {
		if len(h.Values(name)) > 1 {
			return name
		}
	}
	return ""
}

// accepts reports whether a request takes an answer of a media type.
func accepts(r *http.Request, kind string) bool {
	major, _, _ := strings.Cut(kind, "/")
	for _, value := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case kind, major + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// prefers reports whether the header Accept names one kind before another. The order has no
// meaning of its own (RFC 9110, section 12.5.1); it is all that tells what a client would rather
// have that takes both.
func prefers(r *http.Request, kind, other string) bool {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	i, j := strings.Index(accept, kind), strings.Index(accept, other)
	return i >= 0 && (j < 0 || i < j)
}

// refuse answers with an error of our own. A nil id is null.
func refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	writeJSON(w, status, errorLine(id, code, message))
}

// refuseError refuses a message that is not well formed.
func refuseError(w http.ResponseWriter, id []byte, err error) {
	code := call.InvalidRequest
	var e *call.Error
	if errors.As(err, &e) {
		code = e.Code
	}
	refuse(w, http.StatusBadRequest, id, code, err.Error())
}

func writeJSON(w http.ResponseWriter, status int, line []byte) {
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(line)))
	w.WriteHeader(status)
	_, _ = w.Write(line) // who does not read it does not want it
}
