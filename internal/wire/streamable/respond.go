// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"net/http"
	"time"

	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// reconnect is the wait of a client before it resumes a broken stream.
const reconnect = time.Second

// A response is an HTTP response that carries a stream.
type response struct {
	f       *Front
	w       http.ResponseWriter
	r       *http.Request
	s       *stream
	ids     bool                    // events have ids
	prime   bool                    // the first event is only an id to resume after
	status  func(answer []byte) int // of an answer in JSON; nil: 200
	events  bool                    // do not answer in JSON
	opening func()                  // called before the first event; may be nil
}

// reply answers in JSON if the answer comes first and soon, unless the client prefers events, and
// otherwise with events. It returns when the stream has ended, or the client is gone.
func (a *response) reply() {
	position, reader, _ := a.s.join(-1)
	defer a.s.leave(reader)
	prompt := time.NewTimer(a.f.cfg.Prompt)
	defer prompt.Stop()
	for !a.events {
		v, _ := a.s.from(position, reader)
		if v.last && len(v.events) == 1 && !(mcphttp.Prefers(a.r.Header, eventStream, jsonType) && a.statusOf(v.events[0]) == http.StatusOK) {
			a.json(v.events[0])
			return
		}
		if v.last || len(v.events) > 0 {
			break
		}
		select {
		case <-v.changed:
		case <-prompt.C:
			a.events = true
		case <-a.r.Context().Done():
			mcphttp.Abort()
		}
	}
	a.stream(position, reader)
}

func (a *response) statusOf(answer []byte) int {
	if a.status == nil {
		return http.StatusOK
	}
	return a.status(answer)
}

func (a *response) json(answer []byte) {
	defer a.noDeadline()
	mcphttp.Write(a.w, a.statusOf(answer), jsonType, answer, a.f.cfg.WriteTimeout)
	a.flush() // while the deadline holds
}

// stream sends events until the stream has ended, the client is gone, or another connection has taken
// over.
func (a *response) stream(position, reader int) {
	if a.opening != nil {
		a.opening()
	}
	defer a.noDeadline()
	a.deadline()
	mcphttp.SetEvents(a.w.Header())
	a.w.WriteHeader(http.StatusOK)
	if a.prime && !a.write(sse.Event{ID: a.s.eventID(position), HasID: true, Retry: reconnect, HasRetry: true, Data: []byte{}}) {
		return
	}
	alive := time.NewTicker(a.f.cfg.KeepAlive)
	defer alive.Stop()
	if !a.flush() {
		return
	}
	for {
		var v view
		v, position = a.s.from(position, reader)
		for _, line := range v.events {
			position++
			if !a.write(sse.Event{ID: a.s.eventID(position), HasID: a.ids, Data: line}) {
				return
			}
		}
		if len(v.events) > 0 && !a.flush() || v.last || !v.current {
			return
		}
		select {
		case <-v.changed:
		case <-alive.C:
			a.deadline()
			if _, err := a.w.Write([]byte(sse.KeepAlive)); err != nil || !a.flush() {
				return
			}
		case <-a.r.Context().Done():
			return
		}
	}
}

// write sends an event; false if the client does not read it.
func (a *response) write(e sse.Event) bool {
	if !e.HasID {
		e.ID = ""
	}
	text, err := sse.Append(nil, e)
	if err != nil {
		return false
	}
	a.deadline()
	_, err = a.w.Write(text)
	return err == nil
}

func (a *response) flush() bool { return http.NewResponseController(a.w).Flush() == nil }

// deadline bounds the next writes.
func (a *response) deadline() { mcphttp.Deadline(a.w, a.f.cfg.WriteTimeout) }

// noDeadline removes the bound for the next request of the connection.
func (a *response) noDeadline() {
	_ = http.NewResponseController(a.w).SetWriteDeadline(time.Time{})
}
