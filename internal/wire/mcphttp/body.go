// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/toolvet/toolvet/internal/machine/budget"
)

// A Bad explains why the body of a request was not read to its end.
type Bad struct {
	Status  int // of HTTP
	Message string
}

// bodyCopies is the number of times that the body of a request is in memory while it is served.
const bodyCopies = 2

// ReadBody reads the message of a POST, of at most limit bytes, within a time. A large body takes memory
// from loan, which the caller returns with the request. ReadBody does not read the rest of a bad body:
// the connection ends with the answer.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int, within time.Duration, loan *budget.Loan) ([]byte, *Bad) {
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
	body, err := readSized(r.Context(), http.MaxBytesReader(w, r.Body, int64(limit)), r.ContentLength, limit, loan, bodyCopies)
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return refused(http.StatusRequestEntityTooLarge, tooLarge)
	case errors.Is(err, budget.ErrFull):
		w.Header().Set("Retry-After", "1")
		return refused(http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refused(http.StatusRequestTimeout, "the body did not come in time")
	case err != nil:
		return refused(http.StatusBadRequest, "the body did not come whole")
	}
	return body, nil
}

// free is the most memory, in bytes, that a body takes without a loan, and that a header can reserve.
const free = 64 << 10

// ErrTooLarge is the error of ReadWithin for a body beyond the limit.
var ErrTooLarge = errors.New("the answer is larger than the limit")

// answerCopies is the number of times that an answer is in memory on its way to the client.
const answerCopies = 2

// ReadWithin reads the body of a server's answer, of at most limit bytes. A large body takes memory
// from loan, or the error is [budget.ErrFull].
func ReadWithin(resp *http.Response, limit int, loan *budget.Loan) ([]byte, error) {
	data, err := readSized(context.Background(), io.LimitReader(resp.Body, int64(limit)+1), resp.ContentLength, limit+1, loan, answerCopies)
	if err == nil && len(data) > limit {
		err = ErrTooLarge
	}
	return data, err
}

// readSized reads at most limit bytes, of a known size; -1 if it is unknown. The loan grows ahead of the
// memory, to so many times the memory.
func readSized(ctx context.Context, r io.Reader, size int64, limit int, loan *budget.Loan, times int) ([]byte, error) {
	most := limit + 1 // with room for the end of the input
	if size >= 0 {
		most = int(min(size, int64(limit))) + 1
	}
	data := make([]byte, 0, min(most, free))
	for {
		if len(data) == cap(data) {
			grown := max(min(2*cap(data), most), len(data)+1)
			if err := loan.Grow(ctx, times*grown, budget.Brief); err != nil {
				return nil, err
			}
			data = append(make([]byte, 0, grown), data...)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return data, err
		}
	}
}
