// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/lines"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// subscriptionKey is the key of the request's id in messages of a subscription.
const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

// A stateless is the session for all requests of one identity since 2026-07-28.
type stateless struct {
	*backend
	mirrors mirrorBook
	listing sync.Mutex  // held while the tools are listed
	listed  atomic.Bool // they have been

	declined lines.Queue // refusals of the server's requests

	state sync.Mutex
	ended bool
	last  int64
	calls map[string]*exchange // by the id for the server
}

// An exchange is an open request. It has a number as its id for the server, because ids and tokens of
// several clients may be equal.
type exchange struct {
	id, token []byte // as the client spelt them; a nil token is none
	method    string
	s         *stream
}

// modern takes a message of 2026-07-28 or later.
func (f *Front) modern(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, line []byte) {
	switch {
	case m.Method == "":
		f.refuse(w, http.StatusBadRequest, nil, jsonrpc.InvalidRequest, "clients send no responses since 2026-07-28: retry the request with inputResponses")
		return
	case m.ID == nil:
		// The only cancellation is the end of a request's connection.
		w.WriteHeader(http.StatusAccepted)
		return
	case mcpheader.BodyVersion(m.Params, f.limits) == "":
		f.refuseMessage(w, r, m, http.StatusBadRequest, jsonrpc.InvalidParams, "params._meta lacks io.modelcontextprotocol/protocolVersion")
		return
	}
	for range 2 { // a session may end just before its use
		s, err := f.stateless(r)
		if err != nil {
			f.busy(w, r, m, err)
			return
		}
		switch err := s.request(w, r, m, line); {
		case err == nil:
			return
		case !errors.Is(err, errGone):
			mcphttp.Abort() // its client is
		}
	}
	f.refuseMessage(w, r, m, http.StatusServiceUnavailable, jsonrpc.InternalError, "the server has ended: try again")
}

// stateless returns the session of a request's principal, or the reason why there is no room for one.
func (f *Front) stateless(r *http.Request) (*stateless, error) {
	identity, caller := f.cfg.Caller(r)
	running := func() *stateless {
		if s := f.shared[identity]; s != nil && s.ctx.Err() == nil {
			return s
		}
		return nil
	}
	f.mu.Lock()
	s := running()
	f.mu.Unlock()
	if s != nil {
		return s, nil
	}
	leave, err := f.enter(r.Context(), caller)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := running(); s != nil { // another request was faster
		leave()
		return s, nil
	}
	s = &stateless{calls: map[string]*exchange{}, mirrors: mirrorBook{limits: f.wide, log: f.log}}
	s.backend = newBackend(f, caller.Principal(), s.fromServer)
	s.left = leave
	s.declined.Send = func(line []byte) { _ = s.send(s.ctx, line) } // as in cancel
	f.shared[identity] = s
	go s.serve(caller, func() {
		f.mu.Lock()
		if f.shared[identity] == s { // unless another has taken its place
			delete(f.shared, identity)
		}
		f.mu.Unlock()
		s.abandon()
	})
	return s, nil
}

// request passes on a request and answers it. If the session has ended, it writes nothing and returns
// errGone.
func (s *stateless) request(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, line []byte) error {
	s.enter()
	defer s.leave()
	if m.Method == "tools/call" && !s.listed.Load() {
		s.list(r.Context(), m)
	}
	if err := mcpheader.Check(r.Header, m, s.mirrors.of(m), s.f.limits); err != nil {
		s.f.refuseMessage(w, r, m, http.StatusBadRequest, mcpheader.HeaderMismatch, err.Error())
		return nil
	}
	if err := readable(m, s.f.limits); err != nil {
		s.f.refuseError(w, r, m, err)
		return nil
	}
	x := &exchange{id: m.ID, method: m.Method, s: newStream("", 1)}
	x.token = find(m.Params, s.f.limits, "_meta", "progressToken")
	number, ok := s.open(x)
	if !ok {
		return errGone
	}
	defer s.cancel(number)
	if err := s.send(r.Context(), x.sent(line, number, s.f.limits)); err != nil {
		s.take(number)
		return err
	}
	a := response{f: s.f, w: w, r: r, s: x.s, status: statusOf(s.f.wide)}
	a.reply()
	return nil
}

// listTimeout bounds the wait of a call for the list of tools.
const listTimeout = 10 * time.Second

// list asks the server for its tools, in order to check the headers of a call. If the server does not
// answer in time, no headers are checked until a client lists its tools; the body is judged in any
// case.
func (s *stateless) list(caller context.Context, m jsonrpc.Envelope) {
	s.listing.Lock()
	defer s.listing.Unlock()
	ctx, cancel := context.WithTimeout(caller, listTimeout)
	defer cancel()
	defer func() { s.listed.Store(caller.Err() == nil) }()
	params := map[string]json.RawMessage{"_meta": find(m.Params, s.f.limits, "_meta")}
	for range maxPages {
		if s.listed.Load() || ctx.Err() != nil {
			return
		}
		body, err := json.Marshal(params)
		if err != nil {
			return
		}
		params["cursor"] = find(s.ask(ctx, "tools/list", body), s.f.wide, "result", "nextCursor")
		if params["cursor"] == nil {
			return
		}
	}
}

// ask makes a request for the Front itself, and returns the answer; nil if there is none.
func (s *stateless) ask(ctx context.Context, method string, params []byte) []byte {
	x := &exchange{id: []byte("0"), method: method, s: newStream("", 1)}
	number, ok := s.open(x)
	if !ok {
		return nil
	}
	defer s.cancel(number)
	if s.send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, number, method, params)) != nil {
		return nil
	}
	_, reader, _ := x.s.join(-1)
	for {
		v, _ := x.s.from(0, reader)
		if v.last && len(v.events) > 0 {
			return v.events[len(v.events)-1]
		}
		if v.last {
			return nil
		}
		select {
		case <-v.changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// readable refuses params that could hide an id or a token.
func readable(m jsonrpc.Envelope, limits call.Limits) error {
	params, err := strictjson.Members(m.Params, limits)
	if err != nil {
		return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "params cannot be read: " + err.Error()}
	}
	for _, p := range params {
		if p.Key != "_meta" {
			continue
		}
		if _, err := strictjson.Members(p.Raw, limits); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "params._meta cannot be read: " + err.Error()}
		}
	}
	return nil
}

func (s *stateless) open(x *exchange) (number string, ok bool) {
	s.state.Lock()
	defer s.state.Unlock()
	s.last++
	number = strconv.FormatInt(s.last, 10)
	if s.ended {
		return "", false
	}
	s.calls[number] = x
	return number, true
}

// take removes and returns an exchange, or nil.
func (s *stateless) take(number string) *exchange {
	s.state.Lock()
	defer s.state.Unlock()
	x := s.calls[number]
	delete(s.calls, number)
	return x
}

func (s *stateless) find(number string) *exchange {
	s.state.Lock()
	defer s.state.Unlock()
	return s.calls[number]
}

// cancel cancels a request at the server, unless the answer has come.
func (s *stateless) cancel(number string) {
	if s.take(number) == nil {
		return
	}
	ctx, stop := context.WithTimeout(s.ctx, 10*time.Second)
	defer stop()
	// A session that accepts no messages has nothing to cancel.
	_ = s.send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"the client is gone"}}`, number))
}

// sent returns the request with its number in place of the client's id and token.
func (x *exchange) sent(line []byte, number string, limits call.Limits) []byte {
	line = replace(line, limits, number, "id")
	if x.token != nil {
		line = replace(line, limits, number, "params", "_meta", "progressToken")
	}
	return line
}

// replace replaces the member at path, if there is one.
func replace(line []byte, limits call.Limits, value string, path ...string) []byte {
	from, to := place(line, limits, path...)
	if to == 0 {
		return line
	}
	return slices.Concat(line[:from], []byte(value), line[to:])
}

// statusOf returns the HTTP status of an answer (basic/index, Error Codes; basic/transports/
// streamable-http).
func statusOf(limits call.Limits) func([]byte) int {
	return func(answer []byte) int {
		code, err := strconv.Atoi(string(find(answer, limits, "error", "code")))
		switch {
		case err != nil:
		case code == -32601:
			return http.StatusNotFound
		case code == jsonrpc.ParseError, code == jsonrpc.InvalidRequest, code == jsonrpc.InvalidParams, code <= -32020 && code >= -32022:
			return http.StatusBadRequest
		}
		return http.StatusOK
	}
}

// fromServer puts a line of the server on the stream of its request.
func (s *stateless) fromServer(line []byte) {
	line = bytes.Trim(line, " \t\r")
	m, err := jsonrpc.DecodeEnvelope(line, s.f.wide)
	if err != nil {
		s.f.log.Warn("dropped an invalid message of the server", "err", err)
		if m.ID = jsonrpc.Recover(bytes.NewReader(line)).ID; m.ID != nil {
			if x := s.take(jsonrpc.IDKey(m.ID)); x != nil {
				x.s.answer(mcphttp.ErrorLine(x.id, jsonrpc.InternalError, "the server's answer is ambiguous or malformed"))
			}
		}
		return
	}
	switch {
	case m.Method == "":
		s.answered(m, line)
	case m.ID != nil:
		s.decline(m.ID)
	default:
		s.note(m, line)
	}
}

// answered hands an answer to its client, with the client's id.
func (s *stateless) answered(m jsonrpc.Envelope, line []byte) {
	x := s.take(jsonrpc.IDKey(m.ID))
	if x == nil {
		return // its client is gone
	}
	if x.method == "tools/list" {
		s.mirrors.learn(find(m.Result, s.f.wide, "tools"))
		s.listed.Store(s.listed.Load() || find(m.Result, s.f.wide, "nextCursor") == nil)
	}
	if jsonrpc.IDKey(find(m.Result, s.f.wide, "_meta", subscriptionKey)) == jsonrpc.IDKey(m.ID) {
		line = replace(line, s.f.wide, string(x.id), "result", "_meta", subscriptionKey)
	}
	x.s.answer(s.held(replace(line, s.f.wide, string(x.id), "id"), x.id))
}

// decline refuses a request of the server, because 2026-07-28 has none. It ends a server that lets too
// many refusals queue.
func (s *stateless) decline(id []byte) {
	if !s.declined.Add(mcphttp.ErrorLine(id, -32601, "servers send no requests to clients since 2026-07-28")) {
		s.f.log.Error("a session is ended: its server sends requests, and does not read that they are refused")
		s.end()
	}
}

// note passes a notification to the client of its request. A notification without a request goes to the
// only client, or to nobody.
func (s *stateless) note(m jsonrpc.Envelope, line []byte) {
	subscription := jsonrpc.IDKey(find(m.Params, s.f.wide, "_meta", subscriptionKey))
	if x := s.find(subscription); x != nil {
		x.s.put(replace(line, s.f.wide, string(x.id), "params", "_meta", subscriptionKey))
		return
	}
	switch m.Method {
	case "notifications/progress":
		if x := s.find(jsonrpc.IDKey(find(m.Params, s.f.wide, "progressToken"))); x != nil && x.token != nil {
			x.s.put(replace(line, s.f.wide, string(x.token), "params", "progressToken"))
		}
	case "notifications/cancelled": // the server ends a subscription
		if x := s.take(jsonrpc.IDKey(find(m.Params, s.f.wide, "requestId"))); x != nil {
			x.s.finish()
		}
	default:
		if x := s.only(); x != nil {
			x.s.put(line)
		}
	}
}

// only returns the open request, if there is just one beside subscriptions.
func (s *stateless) only() (only *exchange) {
	s.state.Lock()
	defer s.state.Unlock()
	for _, x := range s.calls {
		switch {
		case x.method == "subscriptions/listen":
		case only != nil:
			return nil
		default:
			only = x
		}
	}
	return only
}

// abandon ends all streams, because the session has ended.
func (s *stateless) abandon() {
	s.state.Lock()
	defer s.state.Unlock()
	s.ended = true
	for _, x := range s.calls {
		x.s.answer(mcphttp.ErrorLine(x.id, jsonrpc.InternalError, "the server has ended: try again"))
	}
}
