// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// readServer handles the server's messages until it closes its side.
func (p *Proxy) readServer(r io.Reader) {
	in := newLineReader(r, p.limits.Bytes)
	for {
		line, err := in.next()
		var tooLong *tooLongError
		switch {
		case errors.As(err, &tooLong):
			p.dropTooLong(tooLong.ID)
		case err != nil:
			return
		default:
			if line = p.fromServer(line); line != nil {
				// If the client is gone, its side of the proxy ends.
				_ = p.toClient.write(line, !in.ready())
			}
		}
	}
}

// dropTooLong answers in place of a server whose answer is too long.
func (p *Proxy) dropTooLong(id json.RawMessage) {
	p.log.Warn("dropped a message of the server that is larger than the limit")
	if r := p.pending.take(id); r != nil {
		p.answerError(r.id, &call.Error{Code: call.InternalError,
			Message: "the server's answer is larger than the proxy's limit: ask for less at once"})
	}
}

// fromServer handles one line of the server and returns what the client gets: the
// same line, a changed one, or nil.
func (p *Proxy) fromServer(line []byte) []byte {
	m, err := call.DecodeEnvelope(line, p.limits)
	if err != nil {
		p.log.Warn("the server sent a line that is no message", "err", err)
		if m.ID != nil {
			p.pending.take(m.ID) // what the client makes of it is its own affair
		}
		return line
	}
	if m.Method != "" {
		if m.Method == "notifications/tools/list_changed" {
			p.catalog.changed()
		}
		return line
	}
	key := call.IDKey(m.ID)
	if strings.HasPrefix(key, `"`+p.privatePrefix) {
		p.deliver(key, m)
		return nil
	}
	r := p.pending.take(m.ID)
	if r == nil || m.Result == nil {
		return line
	}
	changed, err := p.change(r, m.Result, line)
	if err != nil {
		p.log.Warn("passed on a result of the server as it is", "method", r.method, "err", err)
		return line
	}
	return changed
}

// deliver hands the answer to a request of the proxy's own to whoever asked.
func (p *Proxy) deliver(key string, m call.Envelope) {
	if answer, ok := p.private.LoadAndDelete(key); ok {
		answer.(chan call.Envelope) <- call.Envelope{Result: bytes.Clone(m.Result), Error: bytes.Clone(m.Error)}
	}
}

// change makes the three changes of the proxy to a line of the server.
func (p *Proxy) change(r *request, result, line []byte) ([]byte, error) {
	switch r.method {
	case "initialize", "server/discover":
		return p.announce(result, line)
	case "tools/list":
		return p.addTool(r, result, line)
	}
	return line, nil
}

// announce adds the toolValidation capability to the result of a handshake. A server
// without tools has nothing to validate.
func (p *Proxy) announce(result, line []byte) ([]byte, error) {
	if get(result, p.limits, "capabilities", "tools") == nil {
		return line, nil
	}
	name := p.cfg.ValidateName
	if native := nativeValidation(get(result, p.limits, "capabilities", "experimental", protocol.Experimental)); native != "" {
		p.native.Store(&native)
		name = native
	}
	capability, err := json.Marshal(protocol.NewCapability(name, p.gate.Levels()))
	if err != nil {
		return nil, err
	}
	put := func([]byte) ([]byte, error) { return capability, nil }
	for _, path := range [][]string{
		{"result", "capabilities", "experimental", protocol.Experimental},
		{"result", "capabilities", "extensions", protocol.Extension},
	} {
		if line, err = edit(line, p.limits, path, put); err != nil {
			return nil, err
		}
	}
	return line, nil
}

// nativeValidation returns the name of the server's own validate tool, or "".
func nativeValidation(capability []byte) string {
	c := struct {
		Supported *bool
		Method    string
	}{Method: protocol.ToolName}
	if json.Unmarshal(capability, &c) != nil || c.Supported != nil && !*c.Supported {
		return ""
	}
	return c.Method
}

// addTool learns from a page of the client's own listing, and adds the validate tool to
// the last page.
func (p *Proxy) addTool(r *request, result, line []byte) ([]byte, error) {
	page, err := decodeListing(result, p.limits)
	if err != nil {
		return nil, err
	}
	p.logFaults(page)
	tools := p.catalog.learnPage(page, r.cursor, r.epoch)
	if page.next != "" || p.native.Load() != nil {
		return line, nil
	}
	name := p.validateName(tools)
	if name != p.cfg.ValidateName {
		p.log.Warn("the server has a tool called "+p.cfg.ValidateName+" of its own: toolvet's is called "+name+
			"; choose a name with --validate-name", "name", name)
	}
	definition, err := protocol.NewTool(name).Encode()
	if err != nil {
		return nil, err
	}
	return edit(line, p.limits, []string{"result", "tools"}, func(list []byte) ([]byte, error) {
		return appendTo(list, len(page.tools)+len(page.faults) == 0, definition), nil
	})
}
