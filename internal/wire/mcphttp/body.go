// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// A Bad explains why the body of a request was not read to its end.
type Bad struct {
	Status  int // of HTTP
	Message string
}

// ReadBody reads the message of a POST, of at most limit bytes, within a time. It does not read the
// rest of a bad body: the connection ends with the answer.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int, within time.Duration) ([]byte, *Bad) {
	refused := func(status int, why string) ([]byte, *Bad) {
		w.Header().Set("Connection", "close")
		return nil, &Bad{status, why}
	}
	const tooLarge = "the body is larger than the limit: send less at once"
	switch {
	case ContentType(r.Header) != JSON || Encoded(r.Header):
		return refused(http.StatusUnsupportedMediaType, "the body must be of the type application/json, in UTF-8 and not compressed")
	case r.ContentLength > int64(limit):
		return refused(http.StatusRequestEntityTooLarge, tooLarge)
	}
	// A connection without support for deadlines has none.
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(within)); err == nil {
		defer func() { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }()
	}
	body, err := readSized(http.MaxBytesReader(w, r.Body, int64(limit)), r.ContentLength)
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return refused(http.StatusRequestEntityTooLarge, tooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refused(http.StatusRequestTimeout, "the body did not come in time")
	case err != nil:
		return refused(http.StatusBadRequest, "the body did not come whole")
	}
	return body, nil
}

// maxSized bounds the memory that a header can reserve, in bytes.
const maxSized = 64 << 10

// ErrTooLarge is the error of ReadWithin for a body beyond the limit.
var ErrTooLarge = errors.New("the answer is larger than the limit")

// ReadWithin reads the body of a server's answer, of at most limit bytes.
func ReadWithin(resp *http.Response, limit int) ([]byte, error) {
	data, err := readSized(io.LimitReader(resp.Body, int64(limit)+1), resp.ContentLength)
	if err == nil && len(data) > limit {
		err = ErrTooLarge
	}
	return data, err
}

// readSized is io.ReadAll for a known size; -1 if it is unknown.
func readSized(r io.Reader, size int64) ([]byte, error) {
	buffer := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), maxSized)+bytes.MinRead))
	_, err := buffer.ReadFrom(r)
	return buffer.Bytes(), err
}
