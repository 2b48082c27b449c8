// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/lines"
)

// headStart is how long a message that may take its time keeps those behind it waiting, before
// another goroutine reads them. To ask the file system about a path takes a tenth of it; to hand
// such a call to a goroutine, whose thread must first wake up, takes longer than that.
const headStart = 250 * time.Microsecond

// A reading is the client's messages as one goroutine reads them.
type reading struct {
	in     *lines.Reader
	done   chan struct{} // closed when the client has closed its side
	batch  bool          // more of the line that was read last is still to be handled
	handed bool          // another goroutine reads on
}

// readClient handles the client's messages, in their order, until it closes its side, or until
// another goroutine does so.
func (p *session) readClient(ctx context.Context, r *reading) {
	for !r.handed {
		line, err := r.in.Next()
		p.taken.Add(1)
		var tooLong *lines.TooLongError
		switch {
		case errors.As(err, &tooLong):
			p.relay.Unreadable(ctx, tooLong.Remnant, err)
			p.relay.Refuse(tooLong.ID, call.InvalidRequest, "the message is larger than the proxy's limit: send less at once")
		case err != nil:
			close(r.done)
			return
		default:
			p.fromLine(ctx, line)
		}
	}
}

// Later implements mediate.Reader.
func (p *session) Later(work func()) {
	r := p.reading
	if r.batch {
		go work()
		return
	}
	next := time.AfterFunc(headStart, func() {
		p.reading = &reading{in: r.in, done: r.done}
		p.readClient(p.ctx, p.reading)
	})
	work()
	r.handed = !next.Stop()
}

// fromLine handles one line of the client. The line is valid only until it returns.
func (p *session) fromLine(ctx context.Context, line []byte) {
	text := bytes.Trim(line, " \t\r")
	switch {
	case len(text) == 0:
	case bytes.IndexByte(text, '\r') >= 0:
		// Readers that take a carriage return for the end of a line (Python's text
		// mode, Java, .NET) would see other messages in this line than we do.
		const why = "the message has a carriage return inside: send each message on one line"
		m := call.Recover(bytes.NewReader(text))
		p.relay.Unreadable(ctx, m, errors.New(why))
		p.relay.Refuse(m.ID, call.ParseError, why)
	case text[0] == '[':
		p.reading.batch = true
		p.relay.Batch(ctx, text)
		p.reading.batch = false
	default:
		p.relay.FromClient(ctx, line)
	}
}
