// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"sync"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// Bounds of ended streams, which are kept in case their connection has broken.
const (
	maxFinished      = 64
	maxFinishedBytes = 4 << 20
)

// A stateful is the session of one client (2025-03-26 to 2025-11-25).
type stateful struct {
	*backend
	id, identity string

	state    sync.Mutex
	version  string             // as agreed in initialize; "" before
	pending  map[string]asked   // open requests, by id key
	ended    bool               // no further answers
	hello    string             // the id key of initialize
	tokens   map[string]string  // of progress: the id key of the request, by token key
	streams  map[string]*stream // that a client can resume, by name
	finished []*stream          // those that have ended
	names    int                // counts the streams
	own      *stream            // unsolicited messages of the server
}

// streamName names a new stream. S must be locked, or not yet shared.
func (s *stateful) streamName() string {
	s.names++
	return strconv.Itoa(s.names)
}

// An asked is a request to be answered on a stream.
type asked struct {
	id []byte // as the client spelt it
	s  *stream
}

var errInUse = errors.New(`"id" belongs to a request that is not answered yet: use each id once`)

// open makes the stream of the answers to the requests among messages.
func (s *stateful) open(all []jsonrpc.Envelope) (*stream, error) {
	s.state.Lock()
	defer s.state.Unlock()
	if s.ended {
		return nil, errGone
	}
	seen := map[string]bool{}
	for _, m := range all {
		key := jsonrpc.IDKey(m.ID)
		if m.IsRequest() && (s.pending[key].s != nil || seen[key]) {
			return nil, errInUse
		}
		seen[key] = m.IsRequest()
	}
	st := newStream(s.streamName(), 0)
	for _, m := range all {
		if !m.IsRequest() {
			continue
		}
		st.left++
		key := jsonrpc.IDKey(m.ID)
		s.pending[key] = asked{m.ID, st}
		if token := find(m.Params, s.f.limits, "_meta", "progressToken"); token != nil {
			s.tokens[jsonrpc.IDKey(token)] = key
		}
	}
	return st, nil
}

// take returns the stream of a request that gets its answer now, or nil.
func (s *stateful) take(key string) *stream {
	s.state.Lock()
	defer s.state.Unlock()
	st := s.pending[key].s
	delete(s.pending, key)
	maps.DeleteFunc(s.tokens, func(_, id string) bool { return id == key })
	return st
}

// begin sends the session's initialize.
func (s *stateful) begin(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, line []byte) {
	s.state.Lock()
	s.hello = jsonrpc.IDKey(m.ID)
	s.state.Unlock()
	w.Header().Set(sessionHeader, s.id)
	defer func() {
		if s.agreed() == "" {
			s.end() // refused, or the client is gone
		}
	}()
	s.request(w, r, []jsonrpc.Envelope{m}, [][]byte{line})
}

// agreed returns the revision of the session; "" before it is known.
func (s *stateful) agreed() string {
	s.state.Lock()
	defer s.state.Unlock()
	return s.version
}

// post takes a message.
func (s *stateful) post(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, line []byte) {
	if m.IsRequest() {
		s.request(w, r, []jsonrpc.Envelope{m}, [][]byte{line})
		return
	}
	s.notes(w, r, []jsonrpc.Envelope{m}, [][]byte{line})
}

// batch takes several messages at once (only in 2025-03-26).
func (s *stateful) batch(w http.ResponseWriter, r *http.Request, line []byte) {
	if s.agreed() != "2025-03-26" {
		s.f.refuse(w, http.StatusBadRequest, nil, jsonrpc.InvalidRequest, "only the revision 2025-03-26 has batches: send each message by itself")
		return
	}
	lines, err := messages(line, s.f.limits)
	if err != nil {
		s.f.refuseError(w, r, jsonrpc.Envelope{}, err)
		return
	}
	all := make([]jsonrpc.Envelope, len(lines))
	requests := false
	for i, text := range lines {
		if all[i], err = jsonrpc.DecodeEnvelope(text, s.f.limits); err != nil && all[i].Unread == nil {
			s.f.refuseError(w, r, all[i], err)
			return
		}
		requests = requests || all[i].IsRequest()
	}
	if requests {
		s.request(w, r, all, lines)
		return
	}
	s.notes(w, r, all, lines)
}

// notes passes on messages without an answer.
func (s *stateful) notes(w http.ResponseWriter, r *http.Request, all []jsonrpc.Envelope, lines [][]byte) {
	s.enter()
	defer s.leave()
	for i, line := range lines {
		if err := s.send(r.Context(), line); err != nil {
			s.refuse(w, nil, err)
			return
		}
		s.noted(all[i])
	}
	w.WriteHeader(http.StatusAccepted)
}

// noted ends the stream of a request that the client has cancelled.
func (s *stateful) noted(m jsonrpc.Envelope) {
	if m.Method != "notifications/cancelled" {
		return
	}
	if st := s.take(jsonrpc.IDKey(find(m.Params, s.f.limits, "requestId"))); st != nil {
		st.forgo()
	}
}

// request passes on messages with requests among them, and answers with their stream.
func (s *stateful) request(w http.ResponseWriter, r *http.Request, all []jsonrpc.Envelope, lines [][]byte) {
	s.enter()
	defer s.leave()
	st, err := s.open(all)
	if err != nil {
		for _, m := range all {
			s.f.refused(r, m, err)
		}
		s.refuse(w, nil, err)
		return
	}
	for i, line := range lines {
		if err := s.send(r.Context(), line); err != nil {
			for _, m := range all {
				s.take(jsonrpc.IDKey(m.ID))
			}
			s.f.refused(r, all[i], err)
			s.refuse(w, all[i].ID, err)
			return
		}
		s.noted(all[i])
	}
	a := response{f: s.f, w: w, r: r, s: st, ids: true, prime: s.primes(), events: len(lines) > 1, opening: func() { s.keep(st) }}
	a.reply()
}

// refuse answers a message that the session cannot accept.
func (s *stateful) refuse(w http.ResponseWriter, id []byte, err error) {
	if errors.Is(err, context.Canceled) {
		mcphttp.Abort() // its client has gone while it waited
	}
	if errors.Is(err, errInUse) {
		s.f.refuse(w, http.StatusBadRequest, nil, jsonrpc.InvalidRequest, err.Error())
		return
	}
	s.f.refuse(w, http.StatusNotFound, id, jsonrpc.InternalError, errGone.Error())
}

// primes reports whether streams start with only an id. Clients of older revisions take an event
// without data for a broken message.
func (s *stateful) primes() bool { return s.agreed() >= "2025-11-25" }

// keep keeps a stream for resuming.
func (s *stateful) keep(st *stream) {
	s.state.Lock()
	defer s.state.Unlock()
	s.streams[st.name] = st
}

// listen opens the stream of unsolicited messages, or resumes the stream in Last-Event-ID.
func (s *stateful) listen(w http.ResponseWriter, r *http.Request) {
	s.enter()
	defer s.leave()
	st, after := s.own, -1
	if last := r.Header.Get(lastHeader); last != "" {
		name, position, ok := cutID(last)
		s.state.Lock()
		st = s.streams[name]
		s.state.Unlock()
		if after = position; !ok {
			st = nil
		}
	}
	if st == nil {
		s.f.refuse(w, http.StatusBadRequest, nil, jsonrpc.InvalidRequest, "the stream of Last-Event-ID is unknown or gone")
		return
	}
	position, reader, ok := st.join(after)
	if !ok {
		s.f.refuse(w, http.StatusBadRequest, nil, jsonrpc.InvalidRequest, "the stream can no longer be resumed after Last-Event-ID")
		return
	}
	defer st.leave(reader)
	a := response{f: s.f, w: w, r: r, s: st, ids: true, prime: s.primes()}
	a.stream(position, reader)
}

// fromServer puts a line of the server on its stream.
func (s *stateful) fromServer(line []byte) {
	all, err := messages(bytes.Trim(line, " \t\r"), s.f.wide)
	if err != nil {
		s.f.log.Warn("dropped an invalid message of the server", "err", err)
		return
	}
	for _, text := range all {
		s.message(text)
	}
}

func (s *stateful) message(line []byte) {
	m, err := jsonrpc.DecodeEnvelope(line, s.f.wide)
	if err != nil {
		s.f.log.Warn("dropped an invalid message of the server", "err", err)
		if remnant := jsonrpc.Recover(bytes.NewReader(line)); !remnant.Method && remnant.ID != nil {
			s.answered(remnant.ID, mcphttp.ErrorLine(remnant.ID, jsonrpc.InternalError, "the server's answer is ambiguous or malformed"))
		}
		return
	}
	if m.Method != "" {
		if s.held(line, nil) != nil {
			s.route(m).put(line)
		}
		return
	}
	if key := jsonrpc.IDKey(m.ID); m.Result != nil {
		s.state.Lock()
		if key == s.hello && s.pending[key].s != nil && s.version == "" {
			s.version = textAt(m.Result, s.f.wide, "protocolVersion")
		}
		s.state.Unlock()
	}
	s.answered(m.ID, line)
}

// answered puts an answer on the stream of its request.
func (s *stateful) answered(id, line []byte) {
	st := s.take(jsonrpc.IDKey(id))
	if st == nil {
		return // cancelled, or of an unknown request
	}
	st.answer(s.held(line, id))
	s.tidy(st)
}

// tidy removes ended streams, the oldest first, when there are too many.
func (s *stateful) tidy(st *stream) {
	s.state.Lock()
	defer s.state.Unlock()
	if !st.isOver() || s.streams[st.name] == nil {
		return
	}
	s.finished = append(s.finished, st)
	size := 0
	for _, f := range s.finished {
		size += f.size()
	}
	for len(s.finished) > maxFinished || size > maxFinishedBytes && len(s.finished) > 1 {
		size -= s.finished[0].size()
		delete(s.streams, s.finished[0].name)
		s.finished = s.finished[1:]
	}
}

// route finds the stream for a message of the server: progress goes to its request, other messages to
// the only open request. The rest is unsolicited.
func (s *stateful) route(m jsonrpc.Envelope) *stream {
	s.state.Lock()
	defer s.state.Unlock()
	if m.Method == "notifications/progress" {
		if id, ok := s.tokens[jsonrpc.IDKey(find(m.Params, s.f.wide, "progressToken"))]; ok && s.pending[id].s != nil {
			return s.pending[id].s
		}
	}
	if len(s.pending) == 1 {
		for _, a := range s.pending {
			if a.s.isRead() {
				return a.s
			}
		}
	}
	return s.own
}

// abandon answers all open requests, because the session has ended.
func (s *stateful) abandon() {
	s.state.Lock()
	defer s.state.Unlock()
	s.ended = true
	for _, a := range s.pending {
		a.s.answer(mcphttp.ErrorLine(a.id, jsonrpc.InternalError, errGone.Error()))
	}
	s.own.finish()
}
