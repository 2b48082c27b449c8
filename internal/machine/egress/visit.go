// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A visit is a connection that is being answered.
type visit struct {
	net.Conn
	buffered *bufio.Reader
	server   *Server
	attempt  Attempt // what is known of the connection; once it is served, it does not change
	ended    chan struct{}
	once     sync.Once

	mu   sync.Mutex
	told bool // a request is recorded, or will be
}

func (v *visit) Read(b []byte) (int, error) { return v.buffered.Read(b) }

// Close ends the connection, and records it if no request was.
func (v *visit) Close() error {
	err := v.Conn.Close()
	v.once.Do(func() {
		v.mu.Lock()
		told := v.told
		v.told = true
		v.mu.Unlock()
		if !told {
			a := v.attempt
			if a.TLS && a.Failed == "" && !a.Passed {
				a.Failed = "the program did not accept toolvet's certificate, or sent no request"
			}
			v.server.record(a)
		}
		close(v.ended)
	})
	return err
}

// fail says why nobody answers, before the connection is closed. The program is told at
// once.
func (v *visit) fail(why string) {
	v.attempt.Failed = why
	if c, ok := v.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0) // it is closed either way
	}
}

func (s *Server) record(a Attempt) {
	if s.Record != nil {
		s.Record(a)
	}
}

type visitKey struct{}

// visitOf is the visit that a connection of the server of HTTP is.
func visitOf(c net.Conn) *visit {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	v, _ := c.(*visit)
	return v
}

type noteKey struct{}

// noteOf is what will be recorded of a request; a handler may add to it.
func noteOf(ctx context.Context) *Attempt {
	if a, ok := ctx.Value(noteKey{}).(*Attempt); ok {
		return a
	}
	return new(Attempt)
}

// TargetOf is whom the connection of a request was meant for.
func TargetOf(ctx context.Context) Target {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok && v != nil {
		return v.attempt.Target
	}
	return Target{}
}

// handle has a request answered, and records it.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok || v == nil || !s.enter() {
		return // there are no other connections, and of those that end nobody reads the answer
	}
	defer s.busy.Done()
	v.mu.Lock()
	v.told = true
	v.mu.Unlock()
	a := v.attempt
	a.Began = time.Now()
	r = r.WithContext(context.WithValue(r.Context(), noteKey{}, &a))
	a.Method, a.URI, a.Authority = r.Method, r.URL.RequestURI(), r.Host
	if r.Method == http.MethodConnect {
		a.URI = " " + r.Host
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(idle)) // if it has none, the sandbox's end is one
	body := &counted{ReadCloser: http.MaxBytesReader(w, r.Body, maxBody)}
	r.Body = body
	answer := &answered{ResponseWriter: w}
	defer func() {
		_, _ = io.Copy(io.Discard, body) // its size is told, too
		a.Sent, a.Received, a.Status = body.n.Load(), answer.n, answer.status
		s.record(a)
	}()
	if s.Handler == nil {
		Refuse(answer, r)
		return
	}
	s.Handler.ServeHTTP(answer, r)
}

// A counted body knows how much of it was read.
type counted struct {
	io.ReadCloser
	n atomic.Int64 // a transport that was given the body may still read when the answer is there
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// An answered response knows what was answered.
type answered struct {
	http.ResponseWriter
	status int
	n      int64
}

func (a *answered) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.n += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }
