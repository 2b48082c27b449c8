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
	attempt  Attempt // of the connection; constant while requests are served
	ended    chan struct{}
	once     sync.Once

	mu   sync.Mutex
	told bool // a request has been or will be recorded
}

func (v *visit) Read(b []byte) (int, error) { return v.buffered.Read(b) }

// Close ends the connection, and records it unless a request was recorded.
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

// fail notes the reason for no answer before the connection is closed. The program learns it at once.
func (v *visit) fail(why string) {
	v.attempt.Failed = why
	if c, ok := v.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0) // it closes either way
	}
}

func (s *Server) record(a Attempt) {
	if s.Record != nil {
		s.Record(a)
	}
}

type visitKey struct{}

// visitOf returns the visit of a connection of the HTTP server.
func visitOf(c net.Conn) *visit {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	v, _ := c.(*visit)
	return v
}

type noteKey struct{}

// noteOf returns the record of a request, which a handler may extend.
func noteOf(ctx context.Context) *Attempt {
	if a, ok := ctx.Value(noteKey{}).(*Attempt); ok {
		return a
	}
	return new(Attempt)
}

// TargetOf returns the target of a request's connection.
func TargetOf(ctx context.Context) Target {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok && v != nil {
		return v.attempt.Target
	}
	return Target{}
}

// handle answers a request and records it.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok || v == nil || !s.enter() {
		return // only for other connections, or for closed ones without a reader
	}
	defer s.busy.Done()
	s.working.Add(1)
	defer s.working.Add(-1)
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
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(idle)) // without a deadline, the end of the sandbox ends it
	body := &counted{ReadCloser: http.MaxBytesReader(w, r.Body, maxBody)}
	r.Body = body
	answer := &answered{ResponseWriter: w}
	defer func() {
		_, _ = io.Copy(io.Discard, body) // its size is recorded, too
		a.Sent, a.Received, a.Status = body.n.Load(), answer.n, answer.status
		s.record(a)
	}()
	if s.Handler == nil {
		Refuse(answer, r)
		return
	}
	s.Handler.ServeHTTP(answer, r)
}

// A counted body counts the bytes read. A transport may still read the body when the answer has
// arrived, and what is left of it is counted, so two may read at a time.
type counted struct {
	io.ReadCloser
	reading sync.Mutex
	n       atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	n, err := c.ReadCloser.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// An answered response records the answer.
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
