// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/upstream"
)

// A localDialer connects to a server of this process: the function serves one session, until in
// ends or ctx is done.
type localDialer func(ctx context.Context, in io.Reader, out io.Writer) error

// Dial implements [upstream.Dialer].
func (serve localDialer) Dial(ctx context.Context, _ io.Writer) (upstream.Transport, error) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &pair{stdin: stdin, stdout: stdout, done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(l.done)
		defer cancel()
		err := serve(ctx, in, out)
		in.CloseWithError(err)
		out.CloseWithError(err) // nil: io.EOF
	}()
	return l, nil
}

// A pair is a connection with a server of this process.
type pair struct {
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	done   chan struct{}
	cancel context.CancelFunc
}

func (l *pair) Stdin() io.WriteCloser { return l.stdin }
func (l *pair) Stdout() io.ReadCloser { return l.stdout }
func (l *pair) Done() <-chan struct{} { return l.done }

// Stop lets the server answer what it was asked, for as long as the grace says.
func (l *pair) Stop(ctx context.Context, grace process.Grace) process.Exit {
	l.stdin.Close()
	timer := time.NewTimer(grace.EOF)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	l.cancel()
	l.stdout.Close() // it may be writing
	<-l.done
	return process.Exit{}
}
