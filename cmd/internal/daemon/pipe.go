// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"io"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/upstream"
)

// A pipeDialer connects to a server inside this process. The function serves one session until in
// ends or ctx is done.
type pipeDialer func(ctx context.Context, in io.Reader, out io.Writer) error

// Dial implements [upstream.Dialer].
func (serve pipeDialer) Dial(ctx context.Context, _ io.Writer) (upstream.Transport, error) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &pipe{stdin: stdin, stdout: stdout, done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(l.done)
		defer cancel()
		err := serve(ctx, in, out)
		in.CloseWithError(err)
		out.CloseWithError(err) // nil: io.EOF
	}()
	return l, nil
}

// A pipe is a connection to a server inside this process.
type pipe struct {
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	done   chan struct{}
	cancel context.CancelFunc
}

func (l *pipe) Stdin() io.WriteCloser { return l.stdin }
func (l *pipe) Stdout() io.ReadCloser { return l.stdout }
func (l *pipe) Done() <-chan struct{} { return l.done }

// Stop gives the server 2 s to answer its last requests.
func (l *pipe) Stop(ctx context.Context) error {
	l.stdin.Close()
	timer := time.NewTimer(process.DefaultGrace)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	l.cancel()
	l.stdout.Close() // it may be writing
	<-l.done
	return nil
}
