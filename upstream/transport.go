// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"io"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// A Transport is an open connection to a server. It carries JSON-RPC messages, one a line, over
// any medium. A *process.Process is one.
type Transport interface {
	Stdin() io.WriteCloser                                      // to the server; closing it ends the session
	Stdout() io.ReadCloser                                      // from the server, to io.EOF
	Done() <-chan struct{}                                      // closed when the server is gone
	Stop(ctx context.Context, grace process.Grace) process.Exit // ends it; at once if it is gone
}

// A Dialer opens the connection to a server. It copies the server's output beside its messages
// to stderr. Ctx bounds the opening, not the connection. [Command] is the Dialer for servers on
// stdio.
type Dialer interface {
	Dial(ctx context.Context, stderr io.Writer) (Transport, error)
}

// Dial starts the command. It implements [Dialer].
func (c Command) Dial(_ context.Context, stderr io.Writer) (Transport, error) {
	p, err := process.Start(process.Command{
		Args: c.Args, Env: c.Env, Dir: c.Dir, Stderr: stderr, Supervisor: c.Supervisor,
	})
	if err != nil {
		return nil, err // not p: a nil *Process would be a Transport that is not nil
	}
	return p, nil
}
