// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"errors"
	"io"

	"github.com/toolvet/toolvet/internal/wire/lines"
)

// readServer handles the server's messages until the server closes its side.
func (p *session) readServer(r io.Reader) {
	defer close(p.serverGone)
	in := lines.NewReader(r, p.limits.Bytes).ForOwner("server " + p.cfg.Server)
	for {
		if !in.Ready() { // the next message may be long in coming, or never be passed on
			p.flushToClient()
		}
		line, err := in.Next()
		var tooLong *lines.TooLongError
		switch {
		case errors.As(err, &tooLong):
			line = p.relay.TooLong(tooLong.Remnant, tooLong)
		case err != nil:
			p.flushToClient()
			return
		default:
			line = p.relay.FromServer(line)
		}
		if line != nil {
			p.toClientLine(line, false)
		}
	}
}
