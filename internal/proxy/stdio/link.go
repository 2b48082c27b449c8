// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"

	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// Answer implements relay.Link.
func (p *session) Answer(line []byte, _ int) { p.toClientLine(line, true) }

// Notify implements relay.Link.
func (p *session) Notify(line []byte) { p.toClientLine(line, true) }

// toClientLine writes a line to the client. If that fails, the client is gone, and the session
// ends.
func (p *session) toClientLine(line []byte, flush bool) {
	if p.toClient.write(line, flush) != nil {
		p.end()
	}
}

// flushToClient writes to the client what [lineWriter.write] has kept.
func (p *session) flushToClient() {
	if p.toClient.flush() != nil {
		p.end()
	}
}

// Forward implements relay.Link.
func (p *session) Forward(r *relay.Request, line []byte) {
	err := relay.ErrServerGone
	if !p.isGone() {
		err = p.toServer.write(line, true)
	}
	if err != nil {
		p.relay.Unsent(r)
	}
	switch {
	case p.isGone():
		// The server may have read the request. Its exit status follows in a moment.
		go func() {
			<-p.exited
			p.relay.Fail(p.died(), r)
		}()
	case err != nil:
		p.relay.Fail("the server does not take messages any more; a new connection starts it again", r)
	}
}

// Send implements relay.Link. It ignores errors: readServer is about to notice that the server
// is gone.
func (p *session) Send(line []byte) { _ = p.toServer.write(line, true) }

// Drop implements relay.Link. It ends the session, and with it the server.
func (p *session) Drop() { p.end() }

// Ask implements relay.Link.
func (p *session) Ask(ctx context.Context, line []byte) error {
	p.Send(line)
	select {
	case <-p.serverGone:
		return relay.ErrServerGone
	case <-ctx.Done():
		return nil
	}
}
