// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of a connection.
const (
	firstByte = 5 * time.Second  // for the first byte of the program
	idle      = 30 * time.Second // between bytes of the program
	maxHello  = 64 << 10         // bytes of the beginning of a TLS connection
	maxHeader = 256 << 10        // bytes of the header of a request
	maxBody   = 64 << 20         // bytes of its body
)

// A Server answers connections. Its fields must not change after the first call. Its methods are safe
// for concurrent use.
type Server struct {
	// Authority issues the certificates for TLS. Nil: TLS connections are not answered.
	Authority *Authority
	// Handler answers requests. [TargetOf] returns the target from their context. Nil: [Refuse].
	Handler http.Handler
	// Guard passes connections to targets that it allows: TLS with the target's host as the server
	// name, and protocols other than TLS and HTTP. Nil: none. HTTP requests without TLS go to the
	// handler ([NewForwarder]).
	Guard *Guard
	// Intercept sends TLS to the handler even if the guard allows the target.
	Intercept bool
	// Record receives each connection and each request after its end.
	Record func(Attempt)

	start   sync.Once
	http    *http.Server
	arrived *arrivals
	busy    sync.WaitGroup // of requests and connections to be recorded
	working atomic.Int64   // requests
	mu      sync.Mutex
	closed  bool
}

// Working reports whether a request is being answered.
func (s *Server) Working() bool { return s.working.Load() > 0 }

// enter counts something to be recorded. False: the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.busy.Add(1)
	}
	return !s.closed
}

// Refuse answers requests with the message that there is no network.
func Refuse(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, "toolvet: the network is off in a rehearsal, nothing was sent\n")
}

func (s *Server) begin() {
	s.start.Do(func() {
		s.arrived = &arrivals{conns: make(chan net.Conn), closed: make(chan struct{})}
		s.http = &http.Server{
			Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: idle, IdleTimeout: idle, MaxHeaderBytes: maxHeader,
			ErrorLog: log.New(io.Discard, "", 0),
			ConnContext: func(ctx context.Context, c net.Conn) context.Context {
				return context.WithValue(ctx, visitKey{}, visitOf(c))
			},
			Protocols: new(http.Protocols),
		}
		s.http.Protocols.SetHTTP1(true)
		s.http.Protocols.SetHTTP2(true)
		s.http.Protocols.SetUnencryptedHTTP2(true)
		go func() { _ = s.http.Serve(s.arrived) }() // until Close
	})
}

// Serve answers one connection, and returns when it has ended. It closes the connection.
func (s *Server) Serve(conn net.Conn, to Target) {
	if !s.enter() {
		conn.Close()
		return
	}
	defer s.busy.Done()
	s.begin()
	v := &visit{Conn: conn, server: s, attempt: Attempt{Target: to, Began: time.Now()}, ended: make(chan struct{})}
	v.buffered = bufio.NewReaderSize(conn, 4096)
	defer v.Close()
	_ = conn.SetDeadline(time.Now().Add(firstByte)) // a closed connection fails below
	first, err := v.buffered.Peek(3)
	_ = conn.SetDeadline(time.Time{})
	switch {
	case err == nil && first[0] == 22 && first[1] == 3: // a TLS record with a handshake
		s.serveTLS(v)
	case err == nil && upper(first):
		s.hand(v, v)
	case s.Guard != nil && s.Guard.allows(to): // the server may speak first
		s.pass(v)
	case err != nil:
		v.fail("nothing was sent")
	default:
		v.fail("neither HTTP nor TLS was spoken")
	}
}

// upper reports whether a byte can begin an HTTP request.
func upper(b []byte) bool {
	for _, c := range b {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// hand passes a connection to the HTTP server, and waits until it is closed.
func (s *Server) hand(v *visit, conn net.Conn) {
	select {
	case s.arrived.conns <- conn:
		<-v.ended
	case <-s.arrived.closed:
	}
}

func (s *Server) serveTLS(v *visit) {
	v.attempt.TLS = true
	name, seen, err := hello(v)
	v.attempt.ServerName = name
	if err != nil {
		v.fail("TLS was not begun rightly")
		return
	}
	v.buffered = bufio.NewReader(io.MultiReader(bytes.NewReader(seen), v.buffered))
	if s.Guard != nil && !s.Intercept && s.Guard.allows(v.attempt.Target) && v.meant(name) {
		s.pass(v)
		return
	}
	if s.Authority == nil {
		v.fail("TLS is not answered")
		return
	}
	host := name
	if host == "" {
		host = v.attempt.Host
	}
	config := s.Authority.TLS(host)
	config.NextProtos = []string{"h2", "http/1.1"}
	s.hand(v, tls.Server(v, config))
}

// meant reports whether the TLS server name matches the host of the connection. A host known only by
// its address has none.
func (v *visit) meant(name string) bool {
	if name == "" {
		return net.ParseIP(v.attempt.Host) != nil
	}
	return sameHost(name, v.attempt.Target)
}

var errSeen = errors.New("seen")

// hello reads the server name at the beginning of a TLS connection. It also returns the bytes that it
// has read.
func hello(v *visit) (name string, seen []byte, err error) {
	var read bytes.Buffer
	_ = v.Conn.SetReadDeadline(time.Now().Add(idle))
	defer func() { _ = v.Conn.SetReadDeadline(time.Time{}) }()
	silent := onlyReads{v.Conn, io.TeeReader(io.LimitReader(v.buffered, maxHello), &read)}
	err = tls.Server(silent, &tls.Config{
		MinVersion: tls.VersionTLS10, // older offers are refused later
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name = h.ServerName
			return nil, errSeen
		},
	}).Handshake()
	if errors.Is(err, errSeen) {
		err = nil
	}
	return name, read.Bytes(), err
}

// onlyReads is a connection that discards writes.
type onlyReads struct {
	net.Conn
	r io.Reader
}

func (c onlyReads) Read(b []byte) (int, error)  { return c.r.Read(b) }
func (c onlyReads) Write(b []byte) (int, error) { return len(b), nil }
func (c onlyReads) Close() error                { return nil }

// Close ends all connections, and waits until they are recorded. Afterwards none is answered.
func (s *Server) Close() {
	s.begin()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.arrived.end()
	_ = s.http.Close()
	s.busy.Wait()
}

// arrivals is a listener for connections from a channel.
type arrivals struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (a *arrivals) end() { a.once.Do(func() { close(a.closed) }) }

// Accept implements net.Listener.
func (a *arrivals) Accept() (net.Conn, error) {
	select {
	case c := <-a.conns:
		return c, nil
	case <-a.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (a *arrivals) Close() error { a.end(); return nil }

// Addr implements net.Listener.
func (a *arrivals) Addr() net.Addr { return &net.TCPAddr{} }
