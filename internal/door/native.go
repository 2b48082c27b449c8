// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
)

// A Native is the validate tool of a server that announces the validation protocol itself.
type Native struct {
	Name  string        // as the server's capability gives it
	Tools *call.Catalog // of the server
	// Send sends the server a tools/call of the tool and returns its result. It may call
	// [Passage.Unsent].
	Send func(context.Context, *Passage) (json.RawMessage, error)
}

// Native asks the server's own validation about target, with arguments as protocol.Request
// makes them. Only a go of toolvet's own may come before it: the arguments of a refused call are
// not for the server. The server names the tool, so the call of it passes the door like any
// other: the gate judges it by rules, lock and limits, and the observer records it. The error
// states why there is no answer.
func (d *Door) Native(ctx context.Context, n Native, target *call.Call, arguments json.RawMessage, r Request) (json.RawMessage, error) {
	if err := protocol.NativeFault(n.Tools.Tool(n.Name)); err != nil {
		d.Logger.Warn("the server announces a validate tool that is none", "server", d.Server, "err", err)
		return nil, fmt.Errorf("the announced tool is no validate tool: %w", err)
	}
	if target.Name == n.Name || target.Name == protocol.BatchName(n.Name) {
		return nil, errors.New("it is not asked about itself") // what it would be asked about is not judged
	}
	c := &call.Call{Server: d.Server, Name: n.Name, Raw: arguments, Meta: maps.Clone(target.Meta), Session: target.Session}
	delete(c.Meta, binding.Key) // which asks toolvet's own validation for a token
	var err error
	if c.Arguments, err = call.DecodeArguments(arguments, d.Limits); err != nil {
		return nil, err
	}
	c.Resolve(n.Tools)
	if gate := inside.Of(d.Gate()); gate.DemandsToken(c) { // no dry run of a dry run
		if c.Meta == nil {
			c.Meta = map[string]any{}
		}
		c.Meta[binding.Key], _ = gate.Token(c, "")
	}
	p := d.Enter(ctx, c, r)
	defer p.Close()
	if _, refused := p.Refusal(); refused {
		return nil, errors.New("toolvet refuses the call of it")
	}
	if err := ctx.Err(); err != nil {
		Lost(ctx, p)
		return nil, err
	}
	p.Sending()
	raw, err := n.Send(ctx, p)
	p.Sent()
	if err != nil {
		Lost(ctx, p)
		return nil, err
	}
	shown := p.Returned(ctx, raw)
	switch {
	case shown.Withheld:
		return nil, errors.New("the server's own validation is withheld")
	case len(shown.Notes) > 0: // its words would stand among toolvet's, without the note
		return nil, errors.New("the server's own validation reads like orders to a model, so it is withheld")
	}
	return shown.Raw, nil
}
