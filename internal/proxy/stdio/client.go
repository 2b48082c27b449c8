// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/lines"
)

// headStart is the time that a slow message may block the messages behind it before another
// goroutine takes over reading. Looking up a path in the file system takes a tenth of it. Waking
// a goroutine's thread for such a call would take longer than the lookup.
const headStart = 250 * time.Microsecond

// A reading is the state of one goroutine that reads the client's messages.
type reading struct {
	in     *lines.Reader
	done   chan struct{} // closed when the client has closed its side
	batch  bool          // the last line is a batch with more messages to handle
	handed bool          // another goroutine has taken over
}

// readClient handles the client's messages, in order, until the client closes its side or
// another goroutine takes over.
func (p *session) readClient(ctx context.Context, r *reading) {
	for !r.handed {
		line, err := r.in.Next()
		p.taken.Add(1)
		var tooLong *lines.TooLongError
		switch {
		case errors.As(err, &tooLong):
			p.relay.Refused(ctx, tooLong.Envelope(), err)
			p.relay.Refuse(tooLong.ID, jsonrpc.InvalidRequest, refusalOf(tooLong))
		case err != nil:
			close(r.done)
			return
		default:
			p.fromLine(ctx, line)
		}
	}
}

// refusalOf is the reason for refusing a message that was not read.
func refusalOf(e *lines.TooLongError) string {
	if e.Full != nil {
		return e.Full.Error()
	}
	return "the message is larger than the proxy's limit: send less at once"
}

// Later implements relay.Reader.
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

// fromLine handles one line of the client. It does not keep the line.
func (p *session) fromLine(ctx context.Context, line []byte) {
	text := bytes.Trim(line, " \t\r")
	switch {
	case len(text) == 0:
	case bytes.IndexByte(text, '\r') >= 0:
		// Some readers end a line at a carriage return (Python's text mode, Java, .NET).
		// They would see other messages in this line than we do.
		const why = "the message has a carriage return inside: send each message on one line"
		m := jsonrpc.Recover(bytes.NewReader(text))
		p.relay.Refused(ctx, m.Envelope(), errors.New(why))
		p.relay.Refuse(m.ID, jsonrpc.ParseError, why)
	case text[0] == '[':
		p.reading.batch = true
		p.relay.Batch(ctx, text)
		p.reading.batch = false
	default:
		p.relay.FromClient(ctx, line)
	}
}
