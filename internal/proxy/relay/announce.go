// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// announce adds the toolValidation capability to the result of a handshake, unless the server
// has no tools.
func (x *Exchange) announce(m *message, r *Request) error {
	capabilities := m.doc().Get("result", "capabilities")
	if m.doc().At("result", "capabilities", "tools") == nil {
		return nil
	}
	if version := textOf(m.doc().Get("result", "protocolVersion")); version != "" {
		x.client.caller.learn(func(s *call.Session) { s.ProtocolVersion = version })
	}
	x.server.learnNative(capabilities)
	entrance := validate.Door{Levels: inside.Of(x.server.cfg.Gate()).Levels(), Progress: true, Tasks: r.method == "server/discover"} // tasks of 2025-11-25 are others
	offered := x.server.cfg.Validator.Capability(x.server.announced(), entrance)
	if x.server.cfg.Rehearse != nil {
		offered.Levels[protocol.RehearseLevel] = true
	}
	capability, err := json.Marshal(offered)
	if err != nil {
		return err
	}
	if entrance.Tasks {
		keep := func(value []byte) ([]byte, error) {
			if value == nil {
				value = []byte("{}")
			}
			return value, nil
		}
		if err := m.doc().Edit(keep, "result", "capabilities", "extensions", protocol.TasksExtension); err != nil {
			return err
		}
	}
	if err := m.doc().Set(capability, "result", "capabilities", "experimental", protocol.Experimental); err != nil {
		return err
	}
	return m.doc().Set(capability, "result", "capabilities", "extensions", protocol.Extension)
}

// greet asks a server what it announces, if no handshake has passed: since 2026-07-28 a client may list and call tools without one, and the SDK for
// TypeScript does so in a second process of the server. A server that does not answer announces nothing.
func (x *Exchange) greet(ctx context.Context) {
	if x.greeted() {
		return
	}
	x.server.greeting.Lock()
	defer x.server.greeting.Unlock()
	if x.greeted() {
		return
	}
	asking, cancel := context.WithTimeout(ctx, x.server.cfg.ServerTimeout)
	defer cancel()
	result, err := x.ask(asking, "server/discover", map[string]any{})
	switch {
	case errors.Is(err, ErrServerGone), ctx.Err() != nil:
		return // the next asks again, if there is one
	case err != nil:
		x.server.cfg.Logger.Debug("the server does not say what it announces", "err", err)
		x.server.greeted.Store(true)
		return
	}
	x.server.learnNative(x.get(result, "capabilities"))
}

// greeted reports whether the server's capabilities are known, or come with a handshake.
func (x *Exchange) greeted() bool { return x.client.meta.Load() == nil || x.server.greeted.Load() }

// learnNative notes the server's own validation, from the capabilities of its handshake.
func (s *Server) learnNative(capabilities []byte) {
	if native := protocol.Announced(capabilities); native != "" {
		s.nativeBatch.Store(protocol.AnnouncedBatch(capabilities))
		s.native.Store(&native)
	}
	s.greeted.Store(true)
}

// addTools learns from a page of the client's own listing, hides tools from the session, and
// adds toolvet's own tools to the last page.
func (x *Exchange) addTools(m *message, r *Request) error {
	sum := sumOf(m.Result, m.sent)
	page, tools := x.server.catalog.again(sum, r.cursor, r.epoch)
	if page == nil {
		var err error
		if page, err = door.DecodeTools(m.Result, m.sent, x.server.cfg.Limits); err != nil {
			return err
		}
		x.logFaults(page)
		tools = x.server.catalog.learnPage(page, sum, r.cursor, r.epoch)
	}
	if page.Next == "" {
		x.server.door.Listed(x.ctx, tools)
	}
	left := len(page.Tools) + len(page.Faults)
	if inside.Of(x.server.cfg.Gate()).Hides() {
		var err error
		if left, err = x.hide(m, page); err != nil {
			return err
		}
	}
	if page.Next != "" {
		return nil
	}
	list := m.doc().Get("result", "tools")
	for _, definition := range x.server.definitions(tools) {
		raw, err := definition.Encode()
		if err != nil {
			return err
		}
		list = splice.Append(list, left == 0, raw)
		left++
	}
	return m.doc().Set(list, "result", "tools")
}

// hideEntries removes prompts, resources or templates from a list if the session may not ask for them.
func (x *Exchange) hideEntries(m *message, r *Request) error {
	result := splice.New(m.Result, x.server.cfg.Limits)
	hidden, err := x.server.door.Hide(x.ctx, r.method, result, m.sent, x.client.caller.session(nil))
	if err != nil || !hidden {
		return err
	}
	if x.client.meta.Load() != nil {
		if err := result.Set([]byte(`"private"`), "cacheScope"); err != nil {
			return err
		}
	}
	return m.doc().Set(result.Text(), "result")
}

// hide removes tools from a page of tools/list if the session may not see them or a model may
// not read their definitions. It also removes unreadable definitions, because it cannot decide
// whether the session may see them. It returns the number of entries left.
func (x *Exchange) hide(m *message, page *door.ToolsPage) (left int, err error) {
	limits := x.server.cfg.Limits
	entries, err := strictjson.Elements(m.doc().Get("result", "tools"), limits)
	if err != nil {
		return 0, err
	}
	gate, session := x.server.cfg.Gate(), x.client.caller.session(nil)
	var kept [][]byte
	for i, t := range page.InOrder(entries, limits) {
		if t != nil && inside.Of(gate).Lists(x.ctx, &call.Call{Server: x.server.cfg.Server, Name: t.Name, Tool: t, Session: session}) {
			kept = append(kept, entries[i])
		}
	}
	if len(kept) == len(entries) {
		return len(kept), nil
	}
	if err := m.doc().Set(fmt.Appendf(nil, "[%s]", bytes.Join(kept, []byte(","))), "result", "tools"); err != nil {
		return 0, err
	}
	if x.client.meta.Load() == nil {
		return len(kept), nil
	}
	// Another session may see other tools (2026-07-28, server/utilities/caching).
	return len(kept), m.doc().Set([]byte(`"private"`), "result", "cacheScope")
}
