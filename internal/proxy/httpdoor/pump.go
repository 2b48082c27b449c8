// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// stream serves a GET, which opens or resumes a stream of messages, and a DELETE, which ends a
// session.
func (e *exchange) stream(w http.ResponseWriter, r *http.Request) {
	defer e.end()
	if no := e.begin(modern(r.Header, ""), false); no != nil {
		e.p.refuse(w, no.status, nil, no.code, no.message)
		return
	}
	if e.session != nil && e.header.Get(mcphttp.LastEventID) != "" {
		defer e.p.sessions.resume(e.session)()
	}
	e.sent = true
	e.header.Del("Content-Type")
	ctx, cancel := e.p.endless(r.Context())
	defer cancel()
	resp, err := e.roundTrip(ctx, r.Method, e.header, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		mcphttp.Abort()
	case err != nil:
		e.p.cfg.Logger.Error("the server cannot be reached", "err", err)
		e.fail(w, "the server cannot be reached: the reason is in toolvet's log")
	default:
		defer resp.Body.Close()
		e.respond(w, r, resp)
	}
}

// events reads the events of an answer. A large event takes a loan, for it and what the client gets.
func (e *exchange) events(resp *http.Response, limit int) *sse.Reader {
	in := sse.NewReader(resp.Body, limit)
	in.Lend = func(n int) error { return e.got.Grow(e.ctx, 2*n, budget.Brief) }
	return in
}

// endless returns a context that also ends when the proxy ends its endless streams.
func (p *Proxy) endless(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// pump passes on an event stream until the server ends it or the client is gone.
func (e *exchange) pump(w http.ResponseWriter, r *http.Request, resp *http.Response) {
	out := e.p.newFlusher(w)
	defer e.p.deadline(w) // for the end of the stream
	e.p.deadline(w)
	w.WriteHeader(resp.StatusCode)
	out.flush()
	e.writeOwn(out)
	in := e.events(resp, e.p.cfg.Limits.Bytes)
	var err error
	for err == nil && out.err == nil && !e.dropped.Load() {
		var event sse.Event
		e.got.Return()
		event, err = in.Next()
		switch {
		case errors.Is(err, sse.ErrTooLarge), errors.Is(err, budget.ErrFull):
			_, begun, _ := bytes.Cut(event.Raw, []byte("data:"))
			if line := e.relay.TooLong(jsonrpc.Recover(bytes.NewReader(begun)), err); line != nil {
				out.write(encode(line))
			}
		case errors.Is(err, io.ErrUnexpectedEOF):
			if event, torn := sse.Torn(event.Raw); torn == nil {
				out.write(e.event(event))
			}
		case err == nil:
			e.resumes = e.resumes || event.Plain().HasID
			out.write(e.event(event))
			e.writeOwn(out)
		}
	}
	if out.err != nil || r.Context().Err() != nil || e.resumable() || e.listens {
		e.forgetAll()
		return
	}
	if errors.Is(err, sse.ErrTooLarge) || errors.Is(err, budget.ErrFull) {
		e.tooLarge(err)
	} else {
		e.breakAll("the server's stream ended before it answered")
	}
	e.writeOwn(out)
}

// event returns an event in the form for the client.
func (e *exchange) event(event sse.Event) []byte {
	event = event.Plain()
	switch {
	case len(bytes.TrimSpace(event.Data)) == 0:
		return event.Raw
	case event.Type != "" && event.Type != "message":
		// Such as "endpoint", of the transport of 2024-11-05: its URL bypasses the proxy.
		e.p.cfg.Logger.Warn("dropped an event of the server that is no message")
		return event.WithData(nil)
	}
	line := e.relay.FromServer(event.Data)
	if bytes.Equal(line, event.Data) {
		return event.Raw
	}
	return event.WithData(line)
}

// encode returns the proxy's own event.
func encode(line []byte) []byte {
	event, _ := sse.Append(nil, sse.Event{Data: line}) // without a type or an id
	return event
}

// writeOwn writes the proxy's own answers into the stream.
func (e *exchange) writeOwn(out *flusher) {
	for _, a := range e.drain() {
		out.write(encode(a.line))
	}
}

// A flusher writes pieces of a stream, each at once. After an error it writes nothing more.
type flusher struct {
	w       http.ResponseWriter
	control *http.ResponseController
	p       *Proxy
	err     error
}

func (p *Proxy) newFlusher(w http.ResponseWriter) *flusher {
	return &flusher{w: w, p: p, control: http.NewResponseController(w)}
}

// open begins the proxy's own stream.
func (f *flusher) open() {
	mcphttp.SetEvents(f.w.Header())
	f.p.deadline(f.w)
	f.w.WriteHeader(http.StatusOK)
}

func (f *flusher) write(piece []byte) {
	if f.err != nil || len(piece) == 0 {
		return
	}
	f.p.deadline(f.w)
	if _, f.err = f.w.Write(piece); f.err == nil {
		f.flush()
	}
}

func (f *flusher) flush() { f.err = f.control.Flush() }
