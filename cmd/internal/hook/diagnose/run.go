// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// maxOutput bounds what is kept of a process's output, in bytes.
const maxOutput = 1 << 20

// A bounded keeps the beginning of an output. It is safe for concurrent use.
type bounded struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := maxOutput - b.text.Len(); room > 0 {
		b.text.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.text.Bytes())
}

// outputWait bounds the wait for the output of a process that has ended: one in a group of its own, such as a judge, may hold it.
const outputWait = time.Second

// An outcome is the end of a process, with its output.
type outcome struct {
	stdout, stderr []byte
	exit           process.Exit
	late           bool // it had to be ended
}

// run runs a process until its end or that of ctx, which is nobody's error. Then it ends the whole group of the process: a shell
// that dies leaves its child behind.
func run(ctx context.Context, c process.Command, stdin []byte) (outcome, error) {
	var stdout, stderr bounded
	c.Stderr = &stderr
	p, err := process.Start(c)
	if err != nil {
		return outcome{}, err
	}
	go func() {
		_, _ = p.Stdin().Write(stdin) // a hook need not read it
		p.Stdin().Close()
	}()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(&stdout, p.Stdout()) // its end says it all
	}()
	late := false
	select {
	case <-p.Done():
	case <-ctx.Done():
		late = true
	}
	exit := p.End(ctx, process.Grace{})
	select {
	case <-copied:
	case <-time.After(outputWait):
	}
	p.Stdout().Close()
	return outcome{stdout.bytes(), stderr.bytes(), exit, late}, nil
}
