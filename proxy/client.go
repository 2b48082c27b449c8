// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"context"
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/lines"
)

// readClient handles the client's messages, in their order, until it closes its side.
func (p *session) readClient(ctx context.Context) {
	in := lines.NewReader(p.cfg.Stdin, p.limits.Bytes)
	for {
		line, err := in.Next()
		p.taken.Add(1)
		var tooLong *lines.TooLongError
		switch {
		case errors.As(err, &tooLong):
			p.Refuse(tooLong.ID, call.InvalidRequest, "the message is larger than the proxy's limit: send less at once")
		case err != nil:
			return
		default:
			p.fromLine(ctx, line)
		}
	}
}

// fromLine handles one line of the client. The line is valid only until it returns.
func (p *session) fromLine(ctx context.Context, line []byte) {
	text := bytes.Trim(line, " \t\r")
	switch {
	case len(text) == 0:
	case bytes.IndexByte(text, '\r') >= 0:
		// Readers that take a carriage return for the end of a line (Python's text
		// mode, Java, .NET) would see other messages in this line than we do.
		p.Refuse(call.Recover(bytes.NewReader(text)).ID, call.ParseError,
			"the message has a carriage return inside: send each message on one line")
	case text[0] == '[':
		p.Batch(ctx, text)
	default:
		p.FromClient(ctx, line)
	}
}
