// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// An httpClient is one session of MCP 2025-11-25 over streamable HTTP. It does as little else as client. It is safe
// for concurrent use.
type httpClient struct {
	ctx     context.Context // of the measured calls
	url     string
	session string
	tool    string // called in place of the tool echo, or ""
	http    *http.Client
	nextID  atomic.Int64
	program *daemon // the path's own, or nil; ends with the client
}

// connect begins a session. A program that was just started has half a minute to answer.
func connect(ctx context.Context, url string, starting *daemon) (*httpClient, error) {
	c := &httpClient{ctx: ctx, url: url, http: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: inFlight, DisableCompression: true,
		IdleConnTimeout: 3 * time.Second, // Node.js closes after 5 s, while other paths are measured
	}}}
	late := time.After(30 * time.Second)
	for {
		err := c.handshake(ctx)
		if err == nil {
			return c, nil
		}
		c.http.CloseIdleConnections()
		if starting == nil {
			return nil, err
		}
		select {
		case <-starting.ended:
			return nil, starting.failed()
		case <-late:
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *httpClient) handshake(ctx context.Context) error {
	const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	if _, err := c.post(ctx, []byte(initialize), `"result"`); err != nil {
		return err
	}
	if _, err := c.post(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), ""); err != nil {
		return err
	}
	_, err := c.post(ctx, []byte(`{"jsonrpc":"2.0","id":"t","method":"tools/list","params":{}}`), `"result"`)
	return err
}

// errOther reports a wrong answer.
var errOther = errors.New("the answer is not the echo")

// errLate reports a refusal because a check did not finish in time. That happens on an overloaded machine.
var errLate = errors.New("a check was late")

// post sends one message, and returns the body of the answer if it contains want.
func (c *httpClient) post(ctx context.Context, message []byte, want string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode >= 300:
		return nil, fmt.Errorf("%s: %.200s", answer.Status, body)
	case !bytes.Contains(body, []byte(want)) && bytes.Contains(body, []byte("did not finish within")):
		return nil, errLate
	case !bytes.Contains(body, []byte(want)):
		return nil, fmt.Errorf("%w: %.200s", errOther, body)
	}
	if id := answer.Header.Get("Mcp-Session-Id"); c.session == "" {
		c.session = id
	}
	return body, nil
}

// echo returns a call with the path's own name of the tool.
func (c *httpClient) echo(e *echo) *echo {
	if c.tool == "" {
		return e
	}
	return &echo{e.before, bytes.Replace(e.after, []byte(`"name":"echo"`), fmt.Appendf(nil, `"name":%q`, c.tool), 1), e.want}
}

// call makes one call and returns its id.
func (c *httpClient) call(ctx context.Context, e *echo) (id int64, err error) {
	id = c.nextID.Add(1)
	_, err = c.post(ctx, append(fmt.Append(bytes.Clone(e.before), id), e.after...), string(e.want))
	return id, err
}

// sequential implements caller.
func (c *httpClient) sequential(e *echo, n int) ([]time.Duration, error) {
	e = c.echo(e)
	latencies := make([]time.Duration, 0, n)
	for range n {
		began := time.Now()
		if _, err := c.call(c.ctx, e); err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Since(began))
	}
	return latencies, nil
}

// flood implements caller.
func (c *httpClient) flood(e *echo, n int) (time.Duration, error) {
	e = c.echo(e)
	began := time.Now()
	var left atomic.Int64
	left.Store(int64(n))
	errs := make([]error, inFlight)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			for errs[i] == nil && left.Add(-1) >= 0 {
				_, errs[i] = c.call(c.ctx, e)
			}
		})
	}
	all.Wait()
	return time.Since(began), errors.Join(errs...)
}

// pid implements caller.
func (c *httpClient) pid() int {
	if c.program == nil {
		return 0
	}
	return c.program.pid()
}

// close ends the session, and the path's program.
func (c *httpClient) close() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), 10*time.Second)
	defer cancel()
	if r, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.url, nil); err == nil {
		r.Header.Set("Mcp-Session-Id", c.session)
		if answer, err := c.http.Do(r); err == nil {
			answer.Body.Close()
		}
	}
	c.http.CloseIdleConnections()
	if c.program != nil {
		c.program.close()
	}
}
