// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A message is a message of the server on its way to the client. It is parsed once; changes go
// into the document, which is written once.
type message struct {
	jsonrpc.Envelope
	line     []byte
	limits   call.Limits
	document *splice.Document // nil: not needed yet
	sent     json.RawMessage  // the result as the server sent it
}

func (x *Exchange) read(line []byte) (message, error) {
	m, err := jsonrpc.DecodeEnvelope(line, x.server.cfg.Limits)
	return message{Envelope: m, line: line, limits: x.server.cfg.Limits, sent: m.Result}, err
}

// doc returns the message as a document. Most messages never need it.
func (m *message) doc() *splice.Document {
	if m.document == nil {
		m.document = splice.NewObject(m.line, m.Members(), m.limits)
	}
	return m.document
}

// text returns the message with the changes so far.
func (m *message) text() []byte {
	if m.document == nil {
		return m.line
	}
	return m.document.Text()
}

// part returns the result, error or params of a message, and the name of that member.
func (m *message) part() (name string, raw json.RawMessage) {
	switch {
	case m.Method != "":
		return "params", m.Params
	case m.Result != nil:
		return "result", m.Result
	}
	return "error", m.Error
}

// heard lists, by method, the messages of a server from which toolvet learns in passing.
var heard = map[string]func(x *Exchange, m *message){
	"notifications/tools/list_changed":     func(x *Exchange, _ *message) { x.server.catalog.changed() },
	"notifications/resources/updated":      func(x *Exchange, _ *message) { x.server.cfg.Validator.ResourcesChanged() },
	"notifications/resources/list_changed": func(x *Exchange, _ *message) { x.server.cfg.Validator.ResourcesChanged() },
	"notifications/cancelled":              (*Exchange).unasked,
}

// changed lists, by method, the functions that add to a result. An error leaves the result
// unchanged.
var changed = map[string]func(x *Exchange, m *message, r *Request) error{
	"initialize":      (*Exchange).announce,
	"server/discover": (*Exchange).announce,
	"tools/list":      (*Exchange).addTools,

	"prompts/list":             (*Exchange).hideEntries,
	"resources/list":           (*Exchange).hideEntries,
	"resources/templates/list": (*Exchange).hideEntries,
}

// FromServer handles one message of the server, or a batch of them, and returns the line for
// the client: the same line, a changed one, or nil.
func (x *Exchange) FromServer(line []byte) []byte {
	if text := bytes.Trim(line, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		return x.serverBatch(line, text)
	}
	decoded, err := x.read(line)
	m := &decoded
	switch {
	case err != nil || !m.Other:
	case !x.Harmless(line):
		err = errors.New("it holds what must not be shown in members that JSON-RPC does not know, or a result beside an error")
	case m.Method == "" && inside.Of(x.server.cfg.Gate()).Hides():
		err = errors.New("it has members that JSON-RPC does not know, or a result beside an error: a list could show hidden tools")
	}
	switch {
	case err != nil:
		return x.malformed(line, err)
	case m.Method != "":
		if hear := heard[m.Method]; hear != nil {
			hear(x, m)
		}
		return x.stray(m)
	}
	return x.answered(m)
}

// answered handles an answer from the server.
func (x *Exchange) answered(m *message) []byte {
	key := jsonrpc.IDKey(m.ID)
	if x.isPrivate(key) {
		x.server.private.deliver(key, m.Envelope)
		return nil
	}
	r := x.client.pending.take(key)
	switch {
	case r == nil && m.ID != nil && x.client.pending.answeredLate(m.ID):
		return nil // the client has cancelled the request
	case r == nil && (m.ID != nil || m.Result != nil):
		// A client may take it for the answer to one of its requests all the same.
		x.server.stray.warn(x.server.cfg.Logger, "dropped an answer of the server to a request that is not known, or is answered")
		return nil
	case r == nil:
		return x.stray(m)
	}
	m.respell(r)
	return x.returned(m, r)
}

// respell gives an answer to 1 with the id "1" the id of its request, which every client understands.
func (m *message) respell(r *Request) {
	if sameType(m.ID, r.id) {
		return
	}
	if m.doc().Set(r.id, "id") == nil { // it cannot fail: the id was read
		m.ID = r.id
	}
}

// sameType reports whether two valid ids are both strings or both integers.
func sameType(a, b json.RawMessage) bool { return (a[0] == '"') == (b[0] == '"') }

// returned reviews the answer to an admitted request and returns the client's line.
func (x *Exchange) returned(m *message, r *Request) []byte {
	var shown door.Shown
	part, raw := m.part()
	if part == "error" {
		shown = r.passage.Refused(x.ctx, raw)
	} else {
		if r.passage.Call().IsTool() && mayBeTask(raw) {
			x.server.tasks.learn(r.passage.Call(), m.doc().At("result"))
		}
		shown = r.passage.Returned(x.ctx, raw)
	}
	line := m.text()
	switch {
	case shown.Withheld, part == "error" && !shown.Error:
		return x.encoded(answered(r.id, door.Answer{Raw: shown.Raw, Error: shown.Error}))
	case shown.Changed:
		line = x.put(m, r, part, shown.Raw)
	}
	if part == "result" {
		m.Result, m.sent = shown.Raw, shown.Sent
	}
	return x.amended(m, r, line)
}

// amended returns the client's line with toolvet's own additions to a result.
func (x *Exchange) amended(m *message, r *Request, line []byte) []byte {
	change := changed[r.method]
	if change == nil || m.Result == nil {
		return line
	}
	err := change(x, m, r)
	switch {
	case err == nil:
		return m.text()
	case r.method == "tools/list" && inside.Of(x.server.cfg.Gate()).Hides():
		x.server.cfg.Logger.Error("withheld a list of tools: what the session may see of it could not be told", "err", err)
		return x.errorLine(r.id, jsonrpc.InternalError, "the server's list of tools is withheld: it could not be read")
	case listed.Member(r.method) != "":
		x.server.cfg.Logger.Error("withheld a list: what the session may see of it could not be told", "method", logname.Method(r.method), "err", err)
		return x.errorLine(r.id, jsonrpc.InternalError, "the server's list is withheld: it could not be read")
	}
	x.server.cfg.Logger.Warn("passed on a result of the server as it is", "method", logname.Method(r.method), "err", err)
	return line
}

// plainMethod matches methods named as MCP and its extensions name theirs. MCP's own names are
// words, so they cannot hide a key or token.
var (
	plainMethod = lazyregexp.New(`^[A-Za-z0-9_./$-]{1,200}$`)
	wordsMethod = lazyregexp.New(`^[A-Za-z_/]{1,60}$`)
)

// stray handles a message that answers no open request: a request or notification from the
// server, or an unsolicited answer. It returns the client's line.
func (x *Exchange) stray(m *message) []byte {
	if inside.Of(x.server.cfg.Gate()).Reviews() && !x.plain(m.Envelope) {
		x.server.stray.warn(x.server.cfg.Logger, "dropped a message of the server: its method or its id must not be shown")
		return nil
	}
	if m.IsRequest() {
		return x.asked(m)
	}
	if call.KnownAsk(m.Method) {
		x.server.stray.warn(x.server.cfg.Logger, "dropped a request of the server without an id", "method", m.Method)
		return nil
	}
	line, _ := x.review(m)
	return line
}

// plain reports whether the method and the id of a stray message are too plain to hide a secret.
func (x *Exchange) plain(m jsonrpc.Envelope) bool {
	head, err := json.Marshal([]any{m.Method, m.ID})
	if err != nil || m.Method != "" && !plainMethod.MatchString(m.Method) {
		return false
	}
	if (m.Method == "" || wordsMethod.MatchString(m.Method)) && (m.ID == nil || m.ID[0] != '"') {
		return true
	}
	return x.Harmless(head)
}

// Harmless reports whether the output layer would pass a JSON text unchanged and without a note.
func (x *Exchange) Harmless(text []byte) bool {
	text = bytes.TrimSpace(text)
	v := x.server.door.Review(x.ctx, &call.Call{Server: x.server.cfg.Server}, "", text)
	return v.Go && len(v.Notes) == 0 && bytes.Equal(v.Raw, text)
}

// review runs the output layer over a message other than an answer. It returns the client's line. Ok is
// true if the line is the message, and false if it is nil or an error in its place.
func (x *Exchange) review(m *message) (line []byte, ok bool) {
	part, raw := m.part()
	if raw == nil {
		return m.text(), true
	}
	c := &call.Call{Server: x.server.cfg.Server, Session: x.client.caller.session(nil)}
	v := x.server.door.Review(x.ctx, c, m.Method, raw)
	if v.Go && !m.IsRequest() {
		if asked := x.server.door.Questions(x.ctx, c.Session, door.Request{}, v.Raw, part == "error"); !asked.Go {
			v.Verdict = asked
		}
	}
	if !v.Go {
		words := protocol.NewResult("", v.Verdict)
		x.withhold(m, &words)
		return x.inPlaceOf(m, nil, &words), false
	}
	logname.Findings(v.Findings, inAnswer, func(attributes ...any) {
		x.server.cfg.Logger.Info("found in what the server sent", append([]any{"method", logname.Method(m.Method)}, attributes...)...)
	})
	if bytes.Equal(v.Raw, raw) {
		return m.text(), true
	}
	return x.put(m, nil, part, v.Raw), true
}

// put replaces a part of a message.
func (x *Exchange) put(m *message, r *Request, part string, raw json.RawMessage) []byte {
	if err := m.doc().Set(raw, part); err != nil { // impossible: its members were read
		x.server.cfg.Logger.Error("a message of the server is withheld: it could not be changed", "err", err)
		words := protocol.Result{}
		return x.inPlaceOf(m, r, &words)
	}
	return m.text()
}

// withhold logs the reasons for withholding a message.
func (x *Exchange) withhold(m *message, words *protocol.Result) {
	logname.Findings(words.Findings, inAnswer, func(attributes ...any) {
		x.server.stray.warn(x.server.cfg.Logger, "withheld what the server sent", append([]any{"method", logname.Method(m.Method)}, attributes...)...)
	})
}

// inAnswer prepares a place in what the server sent for the log.
func inAnswer(pointer string) string { return logname.Pointer(pointer, nil) }

// inPlaceOf returns the client's line in place of a withheld message. If the message is a
// request, it answers the server with an error.
func (x *Exchange) inPlaceOf(m *message, r *Request, words *protocol.Result) []byte {
	const why = "what the server sent is withheld: "
	switch {
	case m.Method != "" && m.ID == nil:
		x.server.stray.warn(x.server.cfg.Logger, "dropped a notification of the server", "method", logname.Method(m.Method))
		return nil
	case m.Method != "":
		x.refuseServer(m.ID, errorResponse(m.ID, jsonrpc.InternalError, why+words.Text()))
		return nil
	case r != nil:
		return x.errorLine(r.id, jsonrpc.InternalError, why+words.Text())
	}
	return x.errorLine(m.ID, jsonrpc.InternalError, why+words.Text())
}

// TooLong handles the remnant of an oversized message from the server, or of one for which err says
// that there is no memory. It returns the client's line, or nil.
func (x *Exchange) TooLong(m jsonrpc.Remnant, err error) []byte {
	why := errTooLong
	if errors.Is(err, budget.ErrFull) {
		why = budget.ErrFull
	}
	x.server.stray.warn(x.server.cfg.Logger, "dropped a message of the server", "err", why)
	switch {
	case m.ID == nil:
	case m.Method:
		x.refuseServer(m.ID, errorResponse(m.ID, jsonrpc.InvalidRequest, "the request is too large: send less at once"))
	default:
		if r := x.client.pending.take(jsonrpc.IDKey(m.ID)); r != nil {
			return x.unreadable(r, why)
		}
		x.client.pending.answeredLate(m.ID)
	}
	return nil
}

var errTooLong = errors.New("the server's answer is larger than the proxy's limit")

// TooLarge answers open requests whose answers exceed the limit, or for which err says that there is no
// memory.
func (x *Exchange) TooLarge(err error, requests ...*Request) {
	why := errTooLong
	if errors.Is(err, budget.ErrFull) {
		why = budget.ErrFull
	}
	for _, r := range requests {
		if x.client.pending.remove(r) {
			x.link.Answer(x.unreadable(r, why), 0)
		}
	}
}

// unreadable returns the client's line in place of an unreadable answer.
func (x *Exchange) unreadable(r *Request, err error) []byte {
	if r.passage != nil {
		shown := r.passage.Unreadable(x.ctx, err)
		return x.encoded(answered(r.id, door.Answer{Raw: shown.Raw, Error: shown.Error}))
	}
	switch {
	case errors.Is(err, errTooLong):
		return x.errorLine(r.id, jsonrpc.InternalError, err.Error()+": ask for less at once")
	case errors.Is(err, budget.ErrFull):
		return x.errorLine(r.id, jsonrpc.InternalError, "the server's answer is dropped: "+err.Error())
	}
	return x.errorLine(r.id, jsonrpc.InternalError, "the server's answer is withheld: it is no message that every reader reads alike")
}

// malformed handles a line from the server that is not a message. The client gets the line
// unless it was meant for toolvet or the gate reviews or hides anything. In that case nothing
// unreadable may pass: malformed withholds an answer, in which a client may find a list of
// tools, and drops any other line.
func (x *Exchange) malformed(line []byte, err error) []byte {
	x.server.stray.warn(x.server.cfg.Logger, "the server sent a line that is no message", "err", err)
	m := jsonrpc.Recover(bytes.NewReader(line))
	withheld := x.server.Withholds()
	if m.ID == nil || m.Method {
		if withheld {
			return nil
		}
		return line
	}
	key := jsonrpc.IDKey(m.ID)
	if x.isPrivate(key) {
		x.server.private.deliver(key, jsonrpc.Envelope{})
		return nil
	}
	r := x.client.pending.take(key)
	switch {
	case r == nil:
		x.client.pending.answeredLate(m.ID)
		return nil
	case withheld:
		return x.unreadable(r, err)
	}
	door.Lost(x.ctx, r.passage)
	return line
}

// serverBatch handles a JSON-RPC batch of the server (2025-03-26 only).
func (x *Exchange) serverBatch(line, text []byte) []byte {
	elements, err := strictjson.Elements(text, x.server.cfg.Limits)
	if err != nil {
		return x.malformed(line, err)
	}
	same, kept := true, make([][]byte, 0, len(elements))
	for _, e := range elements {
		out := []byte(nil)
		if e[0] != '[' { // a batch holds no batches
			out = x.FromServer(e)
		}
		same = same && bytes.Equal(out, e)
		if out != nil {
			kept = append(kept, out)
		}
	}
	switch {
	case same:
		return line
	case len(kept) == 0:
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(kept, []byte(",")), []byte("]"))
}

// isPrivate reports whether an id belongs to one of toolvet's own requests.
func (x *Exchange) isPrivate(key string) bool {
	return strings.HasPrefix(key, `"`+x.server.cfg.PrivatePrefix)
}
