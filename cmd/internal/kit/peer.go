// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/upstream"
)

// A message is one of JSON-RPC, as it came.
type message = map[string]any

// maxLine bounds a message of the peer.
const maxLine = 16 << 20

// A peer is an open connection to the server under test.
type peer struct {
	transport upstream.Transport
	revision  string
	timeout   time.Duration

	mu     sync.Mutex
	last   int
	wanted string       // the id of the one request that waits
	waiter chan message // of its answer; nil: nobody waits
	notes  []message    // without an id, since the scenario began
	late   []message    // those that came when nobody waited, since the scenario began
	gone   error
}

func dial(ctx context.Context, d upstream.Dialer, revision string, timeout time.Duration, stderr io.Writer) (*peer, error) {
	t, err := d.Dial(ctx, stderr)
	if err != nil {
		return nil, err
	}
	p := &peer{transport: t, revision: revision, timeout: timeout}
	go p.read()
	return p, nil
}

func (p *peer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = p.transport.Stdin().Close() // it is gone, or ends
	_ = p.transport.Stop(ctx)       // how it ends is not tested
}

func (p *peer) read() {
	lines := bufio.NewScanner(p.transport.Stdout())
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			p.end(fmt.Errorf("the peer wrote a line that is no JSON object: %.80q", lines.Bytes()))
			return
		}
		p.take(m)
	}
	p.end(cmp.Or(lines.Err(), errors.New("the peer ended the connection")))
}

func (p *peer) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = err
	if p.waiter != nil {
		close(p.waiter)
		p.waiter = nil
	}
}

func (p *peer) take(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, asked := m["id"]
	_, calls := m["method"]
	switch {
	case calls && asked:
		p.refuse(id) // the kit has no roots, models or users
	case calls && p.waiter == nil:
		p.late = append(p.late, m)
	case calls:
		p.notes = append(p.notes, m)
	case p.waiter != nil && (id == nil || fmt.Sprint(id) == p.wanted): // the answer to a message that cannot be read has no id
		p.waiter <- m
		p.waiter = nil
	}
}

func (p *peer) refuse(id any) {
	line, err := json.Marshal(message{"jsonrpc": "2.0", "id": id, "error": message{"code": -32601, "message": "the conformance kit does not offer this"}})
	if err == nil {
		go func() { _, _ = p.transport.Stdin().Write(append(line, '\n')) }() // not under the lock
	}
}

// request sends a request, and waits for the answer.
func (p *peer) request(ctx context.Context, method string, params, meta map[string]any) (message, error) {
	id := p.next()
	params = withMeta(params, p.meta(meta))
	m := message{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	line, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return p.exchange(ctx, string(line), strconv.Itoa(id))
}

func (p *peer) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return p.last
}

// meta is the _meta of each request: from 2026-07-28 on, it tells the revision and the client.
func (p *peer) meta(more map[string]any) map[string]any {
	meta := map[string]any{}
	if p.revision >= jsonrpc.Modern {
		meta[jsonrpc.RevisionKey] = p.revision
		meta[jsonrpc.ClientInfoKey] = clientInfo
		meta[jsonrpc.CapabilitiesKey] = map[string]any{}
	}
	maps.Copy(meta, more)
	return meta
}

var clientInfo = map[string]any{"name": "toolvet-conformance", "version": "1.0"}

func withMeta(params, meta map[string]any) map[string]any {
	if len(meta) == 0 {
		return params
	}
	with := map[string]any{"_meta": meta}
	maps.Copy(with, params)
	return with
}

// exchange sends a line, and waits for the answer with this id. One exchange runs at a time.
func (p *peer) exchange(ctx context.Context, line, id string) (message, error) {
	c := make(chan message, 1)
	p.mu.Lock()
	gone := p.gone
	p.wanted, p.waiter = id, c
	p.mu.Unlock()
	if gone != nil {
		return nil, gone
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	written := make(chan error, 1)
	go func() { written <- p.write(line) }() // a peer that does not read must not hold up the kit
	for {
		select {
		case err := <-written:
			if err != nil {
				return nil, err
			}
			written = nil
		case m, ok := <-c:
			if !ok {
				p.mu.Lock()
				defer p.mu.Unlock()
				return nil, p.gone
			}
			return m, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer within %v", p.timeout)
		}
	}
}

func (p *peer) write(line string) error {
	_, err := io.WriteString(p.transport.Stdin(), line+"\n")
	return err
}

// notified returns the notifications since the last step, and those of the scenario that came late.
func (p *peer) notified() (notes, late []any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	notes, late = listOf(p.notes), listOf(p.late)
	p.notes = nil
	return notes, late
}

// begin forgets the notifications of the scenario before.
func (p *peer) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes, p.late = nil, nil
}

func listOf(messages []message) []any {
	list := make([]any, 0, len(messages))
	for _, m := range messages {
		list = append(list, m)
	}
	return list
}
