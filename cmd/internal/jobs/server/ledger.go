// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// lastAnswers bounds the wait for answers after a client has closed its side.
const lastAnswers = time.Minute

// A ledger tracks the requests of a client that have no answer yet. The SDK drops them when the client closes its
// side. The ledger holds back the end of input until all are answered.
type ledger struct {
	ctx context.Context
	in  *bufio.Reader
	out io.Writer

	left []byte // unread rest of a line

	mu     sync.Mutex
	open   map[string]bool
	answer chan struct{} // an answer was written
}

func newLedger(ctx context.Context, in io.Reader, out io.Writer) *ledger {
	return &ledger{ctx: ctx, in: bufio.NewReader(in), out: out, open: map[string]bool{}, answer: make(chan struct{}, 1)}
}

// Read implements [io.Reader] for the SDK.
func (l *ledger) Read(p []byte) (int, error) {
	if len(l.left) == 0 {
		line, err := l.line()
		if len(line) == 0 {
			if errors.Is(err, io.EOF) {
				l.settle()
			}
			return 0, err
		}
		if m, err := jsonrpc.DecodeEnvelope(line, call.Limits{}); err == nil && m.IsRequest() {
			l.mu.Lock()
			l.open[jsonrpc.IDKey(m.ID)] = true
			l.mu.Unlock()
		}
		l.left = line
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// maxLine bounds a message of a client, in bytes.
const maxLine = 16 << 20

// line reads a line, including its end.
func (l *ledger) line() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, errors.New("a message of the client is larger than 16 MiB")
		}
	}
}

// Write implements [io.Writer] for the SDK. The SDK writes one message at a time.
func (l *ledger) Write(p []byte) (int, error) {
	n, err := l.out.Write(p)
	if m, err := jsonrpc.DecodeEnvelope(p, call.Limits{}); err == nil && m.Method == "" && m.ID != nil {
		l.mu.Lock()
		delete(l.open, jsonrpc.IDKey(m.ID))
		l.mu.Unlock()
		select {
		case l.answer <- struct{}{}:
		default:
		}
	}
	return n, err
}

// Close implements [io.Closer].
func (l *ledger) Close() error { return nil }

// settle waits for the answers to all requests.
func (l *ledger) settle() {
	ctx, cancel := context.WithTimeout(l.ctx, lastAnswers)
	defer cancel()
	for {
		l.mu.Lock()
		n := len(l.open)
		l.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-l.answer:
		case <-ctx.Done():
			return
		}
	}
}
