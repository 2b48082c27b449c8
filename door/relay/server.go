// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/protocol"
)

// TooLong handles what is left of a message of the server that is longer than the limit. It
// returns what the client gets, or nil.
func (p *Exchange) TooLong(m call.Remnant) []byte {
	p.stray.warn(p.log, "dropped a message of the server that is larger than the limit", nil)
	const larger = "is larger than the proxy's limit: "
	switch {
	case m.ID == nil:
	case m.Method:
		refusal, err := encode(response{ID: m.ID, Error: &responseError{Code: call.InvalidRequest, Message: "the request " + larger + "send less at once"}})
		if err == nil {
			go p.link.Send(refusal)
		}
	default:
		if r := p.pending.take(m.ID); r != nil {
			p.lost(r.event)
			return p.errorLine(r.id, call.InternalError, "the server's answer "+larger+"ask for less at once")
		}
	}
	return nil
}

// FromServer handles one message of the server, or a batch of them, and returns what the
// client gets: the same line, a changed one, or nil.
func (p *Exchange) FromServer(line []byte) []byte {
	if text := bytes.Trim(line, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		return p.serverBatch(line, text)
	}
	m, err := call.DecodeEnvelope(line, p.limits)
	switch {
	case err != nil || !m.Other:
	case !p.Harmless(line):
		err = errors.New("it holds what must not be shown in members that JSON-RPC does not know, or a result beside an error")
	case m.Method == "" && p.gate().Hides():
		err = errors.New("it has members that JSON-RPC does not know, or a result beside an error: a list could show hidden tools")
	}
	if err != nil {
		return p.malformed(line, err)
	}
	if m.Method != "" {
		switch m.Method {
		case "notifications/tools/list_changed":
			p.catalog.changed()
		case "notifications/resources/updated", "notifications/resources/list_changed":
			p.validator.ResourcesChanged()
		case "roots/list":
			p.roots.asked(m.ID)
		}
		return p.review(m, nil, line)
	}
	key := call.IDKey(m.ID)
	if p.isPrivate(key) {
		p.deliver(key, m)
		return nil
	}
	r := p.pending.take(m.ID)
	if r == nil && m.ID != nil && p.cfg.Forgets {
		p.log.Warn("dropped an answer of the server to a request that is not known, or is answered")
		return nil
	}
	sent := m.Result
	reviewed := p.review(m, r, line)
	if r == nil || m.Result == nil || !r.changes() {
		return reviewed
	}
	if len(reviewed) != len(line) || !bytes.Equal(reviewed, line) {
		line = reviewed
		if m, err = call.DecodeEnvelope(line, p.limits); err != nil || m.Result == nil {
			return line
		}
	}
	changed, err := p.change(r, m.Result, sent, line)
	if err != nil && r.method == "tools/list" && p.gate().Hides() {
		p.log.Error("withheld a list of tools: what the session may see of it could not be told", "err", err)
		return p.errorLine(r.id, call.InternalError, "the server's list of tools is withheld: it could not be read")
	}
	if err != nil {
		p.log.Warn("passed on a result of the server as it is", "method", r.method, "err", err)
		return line
	}
	return changed
}

// malformed handles a line of the server that is no message. The client gets it, unless
// it was meant for the proxy, or the gate has a say in what the client gets; what the client
// makes of it is its own affair.
func (p *Exchange) malformed(line []byte, err error) []byte {
	p.stray.warn(p.log, "the server sent a line that is no message", err)
	m := call.Recover(bytes.NewReader(line))
	// Whatever it seems to answer, a client may read a list of tools in it.
	withheld := p.Withholds()
	if m.ID == nil || m.Method {
		if withheld {
			return nil // nobody can look at what cannot be read
		}
		return line
	}
	if key := call.IDKey(m.ID); p.isPrivate(key) {
		p.deliver(key, call.Envelope{})
		return nil
	}
	r := p.pending.take(m.ID)
	if r != nil {
		p.lost(r.event)
	}
	if !withheld {
		return line
	}
	if r != nil {
		return p.errorLine(r.id, call.InternalError, "the server's answer is withheld: it is no message that every reader reads alike")
	}
	return nil
}

// serverBatch handles a JSON-RPC batch of the server (2025-03-26 only).
func (p *Exchange) serverBatch(line, text []byte) []byte {
	elements, err := strictjson.Elements(text, p.limits)
	if err != nil {
		return p.malformed(line, err)
	}
	same, kept := true, make([][]byte, 0, len(elements))
	for _, e := range elements {
		out := []byte(nil)
		if e[0] != '[' { // a batch holds no batches
			out = p.FromServer(e)
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

// isPrivate reports whether an id is that of a request of the proxy's own.
func (p *Exchange) isPrivate(key string) bool {
	return strings.HasPrefix(key, `"`+p.cfg.PrivatePrefix)
}

// deliver hands the answer to a request of the proxy's own to whoever asked.
func (p *Exchange) deliver(key string, m call.Envelope) {
	if answer, ok := p.private.LoadAndDelete(key); ok {
		answer.(chan call.Envelope) <- call.Envelope{Result: bytes.Clone(m.Result), Error: bytes.Clone(m.Error)}
	}
}

// changes reports whether the proxy has something of its own to say in the answer to r.
func (r *Request) changes() bool {
	return r.method == "initialize" || r.method == "server/discover" || r.method == "tools/list"
}

// change makes the three changes of the proxy to a line of the server; sent is the result
// as the server sent it.
func (p *Exchange) change(r *Request, result, sent, line []byte) ([]byte, error) {
	switch r.method {
	case "initialize", "server/discover":
		return p.announce(r, result, line)
	case "tools/list":
		return p.addTool(r, result, sent, line)
	}
	return line, nil
}

// announce adds the toolValidation capability to the result of a handshake. A server
// without tools has nothing to validate.
func (p *Exchange) announce(r *Request, result, line []byte) ([]byte, error) {
	capabilities := splice.Get(result, p.limits, "capabilities")
	if splice.Get(capabilities, p.limits, "tools") == nil {
		return line, nil
	}
	if version := textOf(splice.Get(result, p.limits, "protocolVersion")); version != "" {
		p.caller.learn(func(s *call.Session) { s.ProtocolVersion = version })
	}
	name := p.cfg.ValidateName
	if native := protocol.Announced(capabilities); native != "" {
		p.nativeBatch.Store(protocol.AnnouncedBatch(capabilities))
		p.native.Store(&native)
		name = native
	}
	door := validate.Door{Levels: p.gate().Levels(), Progress: true, Tasks: r.method == "server/discover"} // tasks of 2025-11-25 are others
	offered := p.validator.Capability(name, door)
	if p.cfg.Rehearse != nil {
		offered.Levels = append(offered.Levels, protocol.RehearseLevel)
	}
	capability, err := json.Marshal(offered)
	if err != nil {
		return nil, err
	}
	if door.Tasks {
		keep := func(value []byte) ([]byte, error) {
			if value == nil {
				value = []byte("{}")
			}
			return value, nil
		}
		if line, err = splice.Edit(line, p.limits, []string{"result", "capabilities", "extensions", protocol.TasksExtension}, keep); err != nil {
			return nil, err
		}
	}
	put := func([]byte) ([]byte, error) { return capability, nil }
	for _, path := range [][]string{
		{"result", "capabilities", "experimental", protocol.Experimental},
		{"result", "capabilities", "extensions", protocol.Extension},
	} {
		if line, err = splice.Edit(line, p.limits, path, put); err != nil {
			return nil, err
		}
	}
	return line, nil
}

// addTool learns from a page of the client's own listing, and adds the validate tool to
// the last page.
func (p *Exchange) addTool(r *Request, result, sent, line []byte) ([]byte, error) {
	page, err := decodeListing(result, sent, p.limits)
	if err != nil {
		return nil, err
	}
	p.logFaults(page)
	tools := p.catalog.learnPage(page, r.cursor, r.epoch)
	if page.next == "" {
		p.listed(tools)
	}
	left := len(page.tools) + len(page.faults)
	if p.gate().Hides() {
		if line, left, err = p.hide(line, page); err != nil {
			return nil, err
		}
	}
	if page.next != "" {
		return line, nil
	}
	for _, definition := range append(p.definitions(tools), p.rehearsal(tools)...) {
		raw, err := definition.Encode()
		if err != nil {
			return nil, err
		}
		line, err = splice.Edit(line, p.limits, []string{"result", "tools"}, func(list []byte) ([]byte, error) {
			return splice.Append(list, left == 0, raw), nil
		})
		if err != nil {
			return nil, err
		}
		left++
	}
	return line, nil
}

// definitions are the tools that the proxy lists beside the server's own.
func (p *Exchange) definitions(tools *call.Catalog) []protocol.Tool {
	name := p.validateName(tools)
	if p.native.Load() == nil {
		if name != p.cfg.ValidateName {
			p.log.Warn("the server has a tool called "+p.cfg.ValidateName+" of its own, or of the name of its batch tool: toolvet's is called "+name+
				"; choose a name with --validate-name", "name", name)
		}
		return p.validator.Definitions(name)
	}
	switch {
	case p.nativeBatch.Load():
		return nil
	case !p.batches(name, tools):
		p.log.Warn("the server has a tool called " + protocol.BatchName(name) + " of its own, so there are no batches")
		return nil
	}
	return p.validator.Definitions(name)[1:]
}

// rehearsal is the tool that rehearses calls, if it is offered.
func (p *Exchange) rehearsal(tools *call.Catalog) []protocol.Tool {
	switch {
	case p.rehearses(protocol.RehearseName, tools):
		return []protocol.Tool{protocol.NewRehearseTool()}
	case p.cfg.Rehearse != nil:
		p.log.Warn("the server has a tool called " + protocol.RehearseName + " of its own: toolvet's is not offered")
	}
	return nil
}
