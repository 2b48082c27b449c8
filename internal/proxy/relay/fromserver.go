// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/protocol"
)

// A message is a message of the server on its way to the client. It is parsed once; changes go
// into the document, which is written once.
type message struct {
	call.Envelope
	line     []byte
	limits   call.Limits
	document *splice.Document // nil: not needed yet
	sent     json.RawMessage  // the result as the server sent it
}

func (x *Exchange) read(line []byte) (message, error) {
	m, err := call.DecodeEnvelope(line, x.server.cfg.Limits)
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
	"roots/list":                           func(x *Exchange, m *message) { x.client.roots.asked(m.ID) },
}

// changed lists, by method, the functions that add to a result. An error leaves the result
// unchanged.
var changed = map[string]func(x *Exchange, m *message, r *Request) error{
	"initialize":      (*Exchange).announce,
	"server/discover": (*Exchange).announce,
	"tools/list":      (*Exchange).addTools,
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
	case m.Method == "" && x.server.cfg.Gate().Hides():
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
	if key := call.IDKey(m.ID); x.isPrivate(key) {
		x.server.private.deliver(key, m.Envelope)
		return nil
	}
	r := x.client.pending.take(m.ID)
	switch {
	case r == nil && m.ID != nil && x.server.cfg.Forgets:
		x.server.cfg.Logger.Warn("dropped an answer of the server to a request that is not known, or is answered")
		return nil
	case r == nil:
		return x.stray(m)
	case r.passage != nil:
		return x.returned(m, r)
	}
	return x.result(m, r)
}

// returned reviews the answer to a call and returns the client's line.
func (x *Exchange) returned(m *message, r *Request) []byte {
	var shown door.Shown
	part, raw := m.part()
	if part == "error" {
		shown = r.passage.Refused(x.ctx, raw)
	} else {
		if mayBeTask(raw) {
			x.server.tasks.learn(r.passage.Call(), m.doc().At("result"))
		}
		shown = r.passage.Returned(x.ctx, raw)
	}
	switch {
	case shown.Withheld:
		return x.encoded(response{ID: r.id, Result: shown.Raw})
	case !shown.Changed:
		return m.text()
	}
	return x.put(m, r, part, shown.Raw)
}

// result reviews the answer to any other request and returns the client's line.
func (x *Exchange) result(m *message, r *Request) []byte {
	line, ok := x.review(m, r)
	change := changed[r.method]
	if !ok || change == nil || m.Result == nil {
		return line
	}
	err := change(x, m, r)
	switch {
	case err == nil:
		return m.text()
	case r.method == "tools/list" && x.server.cfg.Gate().Hides():
		x.server.cfg.Logger.Error("withheld a list of tools: what the session may see of it could not be told", "err", err)
		return x.errorLine(r.id, call.InternalError, "the server's list of tools is withheld: it could not be read")
	}
	x.server.cfg.Logger.Warn("passed on a result of the server as it is", "method", r.method, "err", err)
	return line
}

// plainMethod matches methods named as MCP and its extensions name theirs. MCP's own names are
// words, so they cannot hide a key or token.
var (
	plainMethod = regexp.MustCompile(`^[A-Za-z0-9_./$-]{1,200}$`)
	wordsMethod = regexp.MustCompile(`^[A-Za-z_/]{1,60}$`)
)

// stray handles a message that answers no open request: a request or notification from the
// server, or an unsolicited answer. It returns the client's line.
func (x *Exchange) stray(m *message) []byte {
	if x.server.cfg.Gate().Reviews() && !x.plain(m.Envelope) {
		x.server.cfg.Logger.Warn("dropped a message of the server: its method or its id must not be shown")
		return nil
	}
	line, _ := x.review(m, nil)
	return line
}

// plain reports whether the method and the id of a stray message are too plain to hide a secret.
func (x *Exchange) plain(m call.Envelope) bool {
	head, err := json.Marshal([]any{m.Method, m.ID})
	if err != nil || m.Method != "" && !plainMethod.MatchString(m.Method) {
		return false
	}
	if (m.Method == "" || wordsMethod.MatchString(m.Method)) && (m.ID == nil || m.ID[0] != '"') {
		return true
	}
	return x.Harmless(head)
}

// Harmless reports whether the output layer would pass a JSON text unchanged.
func (x *Exchange) Harmless(text []byte) bool {
	text = bytes.TrimSpace(text)
	v := x.server.door.Review(x.ctx, &call.Call{Server: x.server.cfg.Server}, "", text)
	return v.Go && bytes.Equal(v.Raw, text)
}

// review runs the output layer over a message other than the answer to a call. R is the request
// behind an answer, or nil. It returns the client's line. Ok is true if the line is the message,
// and false if it is nil or an error in its place.
func (x *Exchange) review(m *message, r *Request) (line []byte, ok bool) {
	part, raw := m.part()
	if raw == nil {
		return m.text(), true
	}
	c, method := &call.Call{Server: x.server.cfg.Server, Session: x.client.caller.session(nil)}, m.Method
	if r != nil {
		method = r.method
		if r.task != nil {
			c = r.task
		}
	}
	v := x.server.door.Review(x.ctx, c, method, raw)
	if !v.Go {
		words := protocol.NewResult(c.Name, v.Verdict)
		x.withhold(m, r, &words)
		return x.inPlaceOf(m, r, &words), false
	}
	for _, f := range v.Findings {
		x.server.cfg.Logger.Info("found in what the server sent", "method", method, "tool", c.Name, "check", f.Check, "at", f.Pointer)
	}
	shown := v.Raw
	if part == "result" {
		var err error
		if shown, err = door.Annotate(c.Name, &v); err != nil {
			x.server.cfg.Logger.Error("a message of the server is withheld: it could not be changed", "method", method, "err", err)
			words := protocol.NewResult(c.Name, v.Verdict)
			return x.inPlaceOf(m, r, &words), false
		}
	}
	if len(shown) == len(raw) && bytes.Equal(shown, raw) {
		return m.text(), true
	}
	if part == "result" {
		m.Result = shown
	}
	return x.put(m, r, part, shown), true
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
func (x *Exchange) withhold(m *message, r *Request, words *protocol.Result) {
	method := m.Method
	if r != nil {
		method = r.method
	}
	for _, f := range words.Findings {
		x.server.cfg.Logger.Warn("withheld what the server sent", "method", method, "tool", words.Tool, "code", f.Code, "check", f.Check, "at", f.Pointer)
	}
}

// inPlaceOf returns the client's line in place of a withheld message. If the message is a
// request, it answers the server with an error.
func (x *Exchange) inPlaceOf(m *message, r *Request, words *protocol.Result) []byte {
	const why = "what the server sent is withheld: "
	switch {
	case m.Method != "" && m.ID == nil:
		x.server.cfg.Logger.Warn("dropped a notification of the server", "method", m.Method)
		return nil
	case m.Method != "":
		x.refuseServer(m.ID, call.InternalError, why+words.Text())
		return nil
	case r != nil:
		return x.errorLine(r.id, call.InternalError, why+words.Text())
	}
	return x.errorLine(m.ID, call.InternalError, why+words.Text())
}

// TooLong handles the remnant of an oversized message from the server. It returns the client's
// line, or nil.
func (x *Exchange) TooLong(m call.Remnant) []byte {
	x.server.stray.warn(x.server.cfg.Logger, "dropped a message of the server that is larger than the limit", nil)
	switch {
	case m.ID == nil:
	case m.Method:
		x.refuseServer(m.ID, call.InvalidRequest, "the request is larger than the proxy's limit: send less at once")
	default:
		if r := x.client.pending.take(m.ID); r != nil {
			return x.unreadable(r, errTooLong)
		}
	}
	return nil
}

var errTooLong = errors.New("the server's answer is larger than the proxy's limit")

// TooLarge answers open requests whose answers exceed the limit.
func (x *Exchange) TooLarge(requests ...*Request) {
	for _, r := range requests {
		if x.client.pending.remove(r) {
			x.link.Answer(x.unreadable(r, errTooLong), 0)
		}
	}
}

// unreadable returns the client's line in place of an unreadable answer.
func (x *Exchange) unreadable(r *Request, err error) []byte {
	if r.passage != nil {
		return x.encoded(response{ID: r.id, Result: r.passage.Unreadable(x.ctx, err).Raw})
	}
	if errors.Is(err, errTooLong) {
		return x.errorLine(r.id, call.InternalError, err.Error()+": ask for less at once")
	}
	return x.errorLine(r.id, call.InternalError, "the server's answer is withheld: it is no message that every reader reads alike")
}

// malformed handles a line from the server that is not a message. The client gets the line
// unless it was meant for toolvet or the gate reviews or hides anything. In that case nothing
// unreadable may pass: malformed withholds an answer, in which a client may find a list of
// tools, and drops any other line.
func (x *Exchange) malformed(line []byte, err error) []byte {
	x.server.stray.warn(x.server.cfg.Logger, "the server sent a line that is no message", err)
	m := call.Recover(bytes.NewReader(line))
	withheld := x.server.Withholds()
	if m.ID == nil || m.Method {
		if withheld {
			return nil
		}
		return line
	}
	if key := call.IDKey(m.ID); x.isPrivate(key) {
		x.server.private.deliver(key, call.Envelope{})
		return nil
	}
	r := x.client.pending.take(m.ID)
	switch {
	case r != nil && withheld:
		return x.unreadable(r, err)
	case withheld:
		return nil
	case r != nil:
		door.Lost(x.ctx, r.passage)
	}
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
