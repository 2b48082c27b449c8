// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/process"
	"github.com/toolvet/toolvet/internal/strictjson"
)

// exitWait is how long a server that has closed a stream may take to exit, so that
// errors can tell its exit code.
const exitWait = 2 * time.Second

// A conn pairs requests with answers on a server's standard streams.
type conn struct {
	proc    *process.Process
	stderr  *tail
	limits  call.Limits
	out     chan []byte   // lines to the server
	closing chan struct{} // closed by close
	running sync.WaitGroup

	mu      sync.Mutex
	lastID  int
	pending map[string]chan<- answer
	odd     string // the first thing that the server did wrong without ending the session

	gone chan struct{} // closed when no more answers will come
	why  error         // set before gone is closed
	end  sync.Once
}

// An answer is a response, or the reason why it cannot be used.
type answer struct {
	call.Envelope
	err error
}

// The ways in which a session ends while the server may still run.
var (
	errStdout = errors.New("the server closed its standard output")
	errStdin  = errors.New("the server closed its standard input")
)

func newConn(proc *process.Process, stderr *tail, limits call.Limits) *conn {
	c := &conn{
		proc: proc, stderr: stderr, limits: limits,
		out: make(chan []byte, 16), closing: make(chan struct{}),
		pending: map[string]chan<- answer{}, gone: make(chan struct{}),
	}
	c.running.Go(c.read)
	c.running.Go(c.write)
	c.running.Go(c.await)
	return c
}

func (c *conn) fail(why error) {
	c.end.Do(func() {
		c.why = why
		close(c.gone)
	})
}

func (c *conn) read() {
	stdout := c.proc.Stdout()
	defer stdout.Close()
	limit := c.limits.Bytes
	if limit <= 0 {
		limit = strictjson.DefaultBytes
	}
	r := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := readLine(r, limit)
		if errors.Is(err, errLongLine) {
			c.fail(fmt.Errorf("the server wrote a line longer than %d bytes on its standard output", limit))
			return
		}
		if err != nil {
			c.fail(errStdout)
			return
		}
		c.handle(line)
	}
}

func (c *conn) write() {
	for {
		select {
		case line := <-c.out:
			if _, err := c.proc.Stdin().Write(line); err != nil {
				c.fail(errStdin)
				return
			}
		case <-c.closing:
			return
		}
	}
}

// await ends the reading when the server is gone. Something that it started may
// have kept its standard output.
func (c *conn) await() {
	select {
	case <-c.proc.Done():
	case <-c.closing:
		return
	}
	select {
	case <-c.gone:
	case <-c.closing:
	case <-time.After(exitWait):
		c.proc.Stdout().Close()
	}
}

func (c *conn) close(ctx context.Context) {
	close(c.closing)
	c.proc.Stop(ctx, process.Grace{})
	c.proc.Stdout().Close()
	c.running.Wait()
}

// handle takes one line of the server.
func (c *conn) handle(line []byte) {
	if len(line) == 0 {
		return
	}
	m, err := call.DecodeEnvelope(line, c.limits)
	switch {
	case err != nil && m.ID != nil && c.deliver(answer{Envelope: m, err: err}):
	case err != nil:
		c.remember("wrote a line that is no JSON-RPC message on standard output, where nothing else may go: %q",
			strictjson.Printable(string(line), 80))
	case m.IsRequest():
		c.reply(m)
	case m.Method == "" && !c.deliver(answer{Envelope: m}):
		c.remember("answered with an id that no request has")
	}
}

func (c *conn) deliver(a answer) bool {
	key := call.IDKey(a.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.pending[key]
	if ok {
		delete(c.pending, key)
		waiting <- a // has room for one
	}
	return ok
}

func (c *conn) remember(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.odd == "" {
		c.odd = fmt.Sprintf(format, args...)
	}
}

// reply answers a request of the server. The client announces no capability, so
// that there is nothing but ping to ask it for.
func (c *conn) reply(m call.Envelope) {
	body := `"error":{"code":-32601,"message":"toolvet does not offer this method"}`
	if m.Method == "ping" {
		body = `"result":{}`
	}
	select {
	case c.out <- fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, body):
	case <-c.closing:
	case <-c.gone:
	}
}

func (c *conn) notify(ctx context.Context, method string) error {
	return c.send(ctx, method, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`+"\n", method))
}

// request sends a request and returns the result. An error answer is a
// *[RefusedError].
func (c *conn) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encoding the request %s: %w", method, err)
	}
	id, waiting := c.expect()
	defer c.forget(id)
	if err := c.send(ctx, method, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, body)); err != nil {
		return nil, err
	}
	select {
	case a := <-waiting:
		return a.result(method)
	case <-c.gone:
		select { // an answer right before the end counts
		case a := <-waiting:
			return a.result(method)
		default:
			return nil, c.goneError(method)
		}
	case <-ctx.Done():
		return nil, c.contextError(ctx, method)
	}
}

func (a answer) result(method string) (json.RawMessage, error) {
	switch {
	case a.err != nil:
		return nil, fmt.Errorf("the server's answer to %s cannot be used: %w", method, a.err)
	case a.Error != nil:
		return nil, newRefusedError(method, a.Error)
	}
	return a.Result, nil
}

func (c *conn) expect() (id string, waiting <-chan answer) {
	ch := make(chan answer, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id = strconv.Itoa(c.lastID)
	c.pending[id] = ch
	return id, ch
}

func (c *conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

func (c *conn) send(ctx context.Context, method string, line []byte) error {
	select {
	case c.out <- line:
		return nil
	case <-c.gone:
		return c.goneError(method)
	case <-ctx.Done():
		return c.contextError(ctx, method)
	}
}

var errLongLine = errors.New("line too long")

// readLine returns the next line without its end, in memory of its own.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, errLongLine
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return trimEnd(line), nil
		default:
			return nil, err
		}
	}
}

func trimEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}
