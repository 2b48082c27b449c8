// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/tail"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/lines"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// exitWait is how long a server may take to exit after it has closed a stream. We wait for the
// exit code, to put it into errors.
const exitWait = 2 * time.Second

// A conn pairs requests with answers on a connection to a server.
type conn struct {
	transport Transport
	stderr    *tail.Writer
	limits    call.Limits
	handler   Handler
	out       chan []byte   // lines to the server
	closing   chan struct{} // closed by close
	running   sync.WaitGroup

	mu      sync.Mutex
	lastID  int
	pending map[string]*waiter
	late    map[string]func()             // called when a request is answered that nobody waits for
	serving map[string]context.CancelFunc // requests of the server in progress
	odd     string                        // the server's first fault that did not end the session

	ctx    context.Context // of the requests of the server
	cancel context.CancelFunc
	gone   chan struct{} // closed when no more answers will come
	why    error         // set before gone is closed
	ended  sync.Once
}

// A waiter waits for the answer to a request.
type waiter struct {
	answer chan answer // has room for one
	*Request
}

// An answer is a response, or the reason why it cannot be used.
type answer struct {
	jsonrpc.Envelope
	err error
	own bool // toolvet may have written it in the server's place
}

// maxPending bounds the unanswered requests on one connection.
const maxPending = 4096

// The ways in which a session ends while the server may still run.
var (
	errStdout = errors.New("the server closed its standard output")
	errStdin  = errors.New("the server closed its standard input")
)

func newConn(transport Transport, stderr *tail.Writer, o options) *conn {
	c := &conn{
		transport: transport, stderr: stderr, limits: o.Limits, handler: o.Handler,
		out: make(chan []byte, 16), closing: make(chan struct{}),
		pending: map[string]*waiter{}, late: map[string]func(){}, serving: map[string]context.CancelFunc{}, gone: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.running.Go(c.read)
	c.running.Go(c.write)
	c.running.Go(c.await)
	return c
}

func (c *conn) fail(why error) {
	c.ended.Do(func() {
		c.why = why
		close(c.gone)
		c.cancel()
		c.endLate()
	})
}

// endLate notes that the server has ended, and so works on no request any longer. A server on another machine may.
func (c *conn) endLate() {
	if c.remote() {
		return
	}
	c.mu.Lock()
	late := c.late
	c.late = nil
	c.mu.Unlock()
	for _, over := range late {
		go over() // it may ask a database
	}
}

func (c *conn) remote() bool {
	r, ok := c.transport.(interface{ Remote() bool })
	return ok && r.Remote()
}

func (c *conn) read() {
	stdout := c.transport.Stdout()
	defer stdout.Close()
	limit := c.limits.Bytes
	if limit <= 0 {
		limit = strictjson.DefaultBytes
	}
	in := lines.NewReader(stdout, limit).EndAtLimit().ForOwner(fmt.Sprintf("server %p", c))
	for {
		line, err := in.Next()
		var long *lines.TooLongError
		switch {
		case errors.As(err, &long) && long.Full != nil:
			c.dropped(long)
		case err != nil && long != nil:
			c.fail(fmt.Errorf("the server wrote a line longer than %d bytes on its standard output", limit))
			return
		case err != nil:
			c.fail(errStdout)
			return
		default:
			c.handle(trimEnd(in.Keep(line)))
		}
	}
}

// dropped answers the request whose answer found no memory.
func (c *conn) dropped(e *lines.TooLongError) {
	if e.ID == nil || e.Method || !c.deliver(answer{Envelope: jsonrpc.Envelope{ID: e.ID}, err: fmt.Errorf("the server's answer is dropped: %w", e.Full)}) {
		c.remember("sent a message for which there was no memory")
	}
}

func (c *conn) write() {
	for {
		select {
		case line := <-c.out:
			if _, err := c.transport.Stdin().Write(line); err != nil {
				c.fail(errStdin)
				return
			}
		case <-c.closing:
			return
		}
	}
}

// await ends the reading when the server is gone. Without it, a process started by the server
// could keep the standard output open for ever.
func (c *conn) await() {
	select {
	case <-c.transport.Done():
	case <-c.closing:
		return
	}
	select {
	case <-c.gone:
	case <-c.closing:
	case <-time.After(exitWait):
		c.transport.Stdout().Close()
	}
}

func (c *conn) close(ctx context.Context) {
	close(c.closing)
	c.cancel()
	_ = c.transport.Stop(ctx) // how it ended is no matter any more
	c.transport.Stdout().Close()
	c.running.Wait()
}

// handle handles one line of the server.
func (c *conn) handle(line []byte) {
	if len(line) == 0 {
		return
	}
	m, err := jsonrpc.DecodeEnvelope(line, c.limits)
	switch {
	case err != nil && m.ID != nil && c.deliver(answer{Envelope: m, err: err}):
	case err != nil:
		c.remember("wrote a line that is no JSON-RPC message on standard output, where nothing else may go: %q",
			strictjson.Printable(string(line), 80))
	case m.IsRequest():
		c.serve(m)
	case m.Method != "":
		c.notified(m)
	case !c.deliver(answer{Envelope: m, own: c.remote()}):
		c.remember("answered with an id that no request has")
	}
}

// deliver hands an answer to its waiter, and reports whether a request ever had its id.
func (c *conn) deliver(a answer) bool {
	key := jsonrpc.IDKey(a.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.pending[key]
	if ok {
		delete(c.pending, key)
		waiting.answer <- a
		return true
	}
	if over := c.late[key]; over != nil {
		delete(c.late, key)
		go over()
	}
	n, err := strconv.Atoi(key)
	return err == nil && n > 0 && n <= c.lastID // a former request, already given up
}

func (c *conn) remember(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.odd == "" {
		c.odd = fmt.Sprintf(format, args...)
	}
}

func (c *conn) notify(ctx context.Context, method string, params json.RawMessage) error {
	line, err := encodeLine("", method, params)
	if err != nil {
		return fmt.Errorf("encoding the notification %s: %w", method, err)
	}
	return c.send(ctx, method, line)
}

// do makes a request. Meta holds the connection's members of _meta.
func (c *conn) do(ctx context.Context, r Request, meta map[string]json.RawMessage) (json.RawMessage, error) {
	id, waiting, err := c.expect(&r)
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	line, err := r.line(id, meta, c.limits)
	if err != nil {
		return nil, err
	}
	if err := c.send(ctx, r.Method, line); err != nil {
		return nil, err
	}
	select {
	case a := <-waiting.answer:
		return a.result(r.Method)
	case <-c.gone:
		select { // an answer that came right before the end counts
		case a := <-waiting.answer:
			return a.result(r.Method)
		default:
			return nil, c.goneError(r.Method, true)
		}
	case <-ctx.Done():
		if r.abandoned != nil {
			r.abandoned()
			c.awaitLate(id, r.over)
		}
		c.abandon(id, r.Method)
		return nil, c.contextError(ctx, r.Method)
	}
}

// awaitLate calls over when a request is answered that nobody waits for any more, or the server has ended.
func (c *conn) awaitLate(id string, over func()) {
	c.mu.Lock()
	_, waits := c.pending[id]
	delete(c.pending, id)
	if waits && c.late != nil {
		c.late[id] = over
		c.mu.Unlock()
		time.AfterFunc(door.HoldTime, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.late, id)
		})
		return
	}
	c.mu.Unlock()
	over() // the answer has come, or the server has ended
}

// abandon cancels a request at the server. It does not wait for a server that does not read.
// The handshake cannot be cancelled (basic/utilities/cancellation).
func (c *conn) abandon(id, method string) {
	if method == "initialize" {
		return
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"nobody waits for the answer any more"}}`+"\n", id)
	select {
	case c.out <- line:
	default:
	}
}

func (a answer) result(method string) (json.RawMessage, error) {
	switch {
	case a.err != nil:
		return nil, &unusableError{method, a.err}
	case a.Error != nil && a.own:
		return nil, newUnansweredError(method, a.Error)
	case a.Error != nil:
		return nil, newRefusedError(method, a.Error)
	}
	return a.Result, nil
}

func (c *conn) expect(r *Request) (id string, waiting *waiter, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) >= maxPending {
		return "", nil, fmt.Errorf("the server has %d requests to answer already", maxPending)
	}
	waiting = &waiter{make(chan answer, 1), r}
	c.lastID++
	id = strconv.Itoa(c.lastID)
	c.pending[id] = waiting
	return id, waiting, nil
}

func (c *conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

func (c *conn) send(ctx context.Context, method string, line []byte) error {
	select {
	case <-c.gone: // checked first: select could still choose c.out below
		return c.goneError(method, false)
	default:
	}
	select {
	case c.out <- line:
		return nil
	case <-c.gone:
		return c.goneError(method, false)
	case <-ctx.Done():
		return c.contextError(ctx, method)
	}
}

func trimEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}
