// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/protocol"
)

// review looks at a message of the server before the client gets it: r is the request that
// it answers, or nil. It returns the line that the client may get, and nil if there is none.
func (p *Exchange) review(m call.Envelope, r *Request, line []byte) []byte {
	gate := p.gate()
	if !gate.Reviews() && p.cfg.Observer == nil {
		return line
	}
	if (m.Method != "" || r == nil) && !p.plain(gate, m) {
		p.log.Warn("dropped a message of the server: its method or its id is none that may be shown")
		return nil
	}
	part, raw := content(m)
	if raw == nil {
		return line
	}
	c := &call.Call{Server: p.cfg.Server, Session: p.caller.session(nil)}
	method := m.Method
	if r != nil {
		method = r.method
		switch {
		case r.call != nil:
			c = r.call
			p.tasks.learn(c, raw, p.limits)
		case r.task != nil:
			c = r.task
		}
	}
	v := p.look(gate, c, method, raw)
	if r != nil {
		p.returned(r.event, &v, len(raw), part == "error" || string(splice.Get(raw, p.limits, "isError")) == "true")
	}
	if !v.Go {
		return p.withheld(m, r, c, v)
	}
	for _, f := range v.Findings {
		p.log.Info("found in what the server sent", "method", method, "tool", c.Name, "check", f.Check, "at", f.Pointer)
	}
	changed, err := p.annotated(line, part, raw, c.Name, v)
	if err != nil {
		p.log.Error("a message of the server is withheld: it could not be changed", "method", method, "err", err)
		return p.withheld(m, r, c, toolvet.Reviewed{})
	}
	return changed
}

// Harmless reports whether the output layer would change nothing of a JSON text.
func (p *Exchange) Harmless(line []byte) bool {
	gate := p.gate()
	if !gate.Reviews() {
		return true
	}
	line = bytes.TrimSpace(line)
	v := p.look(gate, &call.Call{Server: p.cfg.Server}, "", line)
	return v.Go && bytes.Equal(v.Raw, line)
}

// A plainMethod is one as MCP and its extensions have them; MCP's own are words, in which no
// key or token hides.
var (
	plainMethod = regexp.MustCompile(`^[A-Za-z0-9_./$-]{1,200}$`)
	wordsMethod = regexp.MustCompile(`^[A-Za-z_/]{1,60}$`)
)

// plain reports whether nothing is hidden in the method and the id of what a server sends
// of its own, or of an answer to nothing that the client has asked.
func (p *Exchange) plain(gate *toolvet.Gate, m call.Envelope) bool {
	head, err := json.Marshal([]any{m.Method, m.ID})
	if err != nil || m.Method != "" && !plainMethod.MatchString(m.Method) {
		return false
	}
	if (m.Method == "" || wordsMethod.MatchString(m.Method)) && (m.ID == nil || m.ID[0] != '"') {
		return true
	}
	v := p.look(gate, &call.Call{Server: p.cfg.Server}, "", head)
	return v.Go && bytes.Equal(v.Raw, head)
}

// content is the part of a message that the other side reads, and its name.
func content(m call.Envelope) (name string, raw json.RawMessage) {
	switch {
	case m.Method != "":
		return "params", m.Params
	case m.Result != nil:
		return "result", m.Result
	}
	return "error", m.Error
}

func (p *Exchange) look(gate *toolvet.Gate, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	read, err := result.Read(method, raw)
	if err != nil {
		p.log.Error("a message of the server is withheld: it could not be read", "method", method, "err", err)
		return toolvet.Reviewed{Verdict: toolvet.Verdict{Findings: []check.Finding{{
			Check: "policy", Stage: check.Output, Level: check.SecurityLevel, Message: err.Error(), Suggestion: "ask for less at once",
		}}}}
	}
	return gate.Review(p.ctx, c, read)
}

// annotated puts what the review made of a part of a line into its place, and, in a result,
// what it found.
func (p *Exchange) annotated(line []byte, part string, raw json.RawMessage, tool string, v toolvet.Reviewed) ([]byte, error) {
	if len(v.Raw) != len(raw) || !bytes.Equal(v.Raw, raw) {
		put := func([]byte) ([]byte, error) { return v.Raw, nil }
		var err error
		if line, err = splice.Edit(line, p.limits, []string{part}, put); err != nil {
			return nil, err
		}
	}
	a := protocol.Annotate(tool, &v)
	if part != "result" || a.Meta == nil || len(v.Raw) == 0 || v.Raw[0] != '{' {
		return line, nil
	}
	line, err := splice.Edit(line, p.limits, []string{part, "_meta", protocol.VerdictKey}, func([]byte) ([]byte, error) { return a.Meta, nil })
	if err != nil {
		return nil, err
	}
	for _, block := range a.Text {
		line, err = splice.Edit(line, p.limits, []string{part, "content"}, func(list []byte) ([]byte, error) {
			if len(list) == 0 || list[0] != '[' {
				return nil, nil // no result of a tool: _meta tells it
			}
			return splice.Append(list, splice.Empty(list), block), nil
		})
		if err != nil {
			return nil, err
		}
	}
	return line, nil
}

// withheld is what the client gets in the place of a message that it must not get.
func (p *Exchange) withheld(m call.Envelope, r *Request, c *call.Call, v toolvet.Reviewed) []byte {
	words := protocol.NewResult(c.Name, v.Verdict)
	for _, f := range words.Findings {
		p.log.Warn("withheld what the server sent", "tool", c.Name, "code", f.Code, "check", f.Check, "at", f.Pointer)
	}
	const why = "what the server sent is withheld: "
	answer := response{ID: m.ID}
	switch {
	case m.Method != "" && m.ID == nil:
		p.log.Warn("dropped a notification of the server", "method", m.Method)
		return nil
	case m.Method != "":
		answer.Error = &responseError{Code: call.InternalError, Message: why + words.Text()}
		refusal, err := encode(answer)
		if err == nil {
			go p.link.Send(refusal)
		}
		return nil
	case r != nil && r.call != nil:
		answer.Result = words.Withheld(modern(r.call.Meta))
	default:
		answer.Error = &responseError{Code: call.InternalError, Message: why + words.Text()}
	}
	line, err := encode(answer)
	if err != nil { // the parts are valid JSON of our own
		p.log.Error("could not answer", "err", err)
		return nil
	}
	return line
}
