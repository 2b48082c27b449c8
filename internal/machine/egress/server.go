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
	"time"
)

// Bounds of a connection.
const (
	firstByte = 5 * time.Second  // until the program says something
	idle      = 30 * time.Second // between what it says
	maxHello  = 64 << 10         // bytes of what begins a connection of TLS
	maxHeader = 256 << 10        // bytes of the header of a request
	maxBody   = 64 << 20         // bytes of its body
)

// A Server answers connections. Its fields must not change once it serves; its methods may
// be used concurrently.
type Server struct {
	// Authority issues the certificates for TLS. Nil: no connection of TLS is answered.
	Authority *Authority
	// Handler answers requests, whose context has the [Target]; see [TargetOf]. Nil: [Refuse].
	Handler http.Handler
	// Guard lets connections through to targets that it allows: TLS whose server name is the
	// target's host, and what is neither TLS nor HTTP. Nil: none. Requests of HTTP without
	// TLS are the handler's ([NewForwarder]).
	Guard *Guard
	// Intercept has TLS be answered by the handler even where the guard allows its target.
	Intercept bool
	// Record is told of each connection and each request when it has ended.
	Record func(Attempt)

	start   sync.Once
	http    *http.Server
	arrived *arrivals
	busy    sync.WaitGroup // of requests and connections that will be recorded
	mu      sync.Mutex
	closed  bool
}

// enter notes that something will be recorded. False: the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.busy.Add(1)
	}
	return !s.closed
}

// Refuse answers that there is no network.
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
	_ = conn.SetDeadline(time.Now().Add(firstByte)) // a connection that is gone fails below
	first, err := v.buffered.Peek(3)
	_ = conn.SetDeadline(time.Time{})
	switch {
	case err == nil && first[0] == 22 && first[1] == 3: // a record of TLS with a handshake
		s.serveTLS(v)
	case err == nil && upper(first):
		s.hand(v, v)
	case s.Guard != nil && s.Guard.Allows(to): // the server may be the one that speaks first
		s.pass(v)
	case err != nil:
		v.fail("nothing was sent")
	default:
		v.fail("neither HTTP nor TLS was spoken")
	}
}

// upper reports whether a request of HTTP may begin so.
func upper(b []byte) bool {
	for _, c := range b {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// hand gives a connection to the server of HTTP, and waits until it has been closed.
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
	if s.Guard != nil && !s.Intercept && s.Guard.Allows(v.attempt.Target) && v.meant(name) {
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
	s.hand(v, tls.Server(v, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.Authority.issue(host) },
	}))
}

// meant reports whether the server name of TLS is that of the host that is connected to. One
// that is known by its address has none.
func (v *visit) meant(name string) bool {
	if name == "" {
		return net.ParseIP(v.attempt.Host) != nil
	}
	return sameHost(name, v.attempt.Target)
}

var errSeen = errors.New("seen")

// hello reads the server name with which a connection of TLS begins, and what was read.
func hello(v *visit) (name string, seen []byte, err error) {
	var read bytes.Buffer
	_ = v.Conn.SetReadDeadline(time.Now().Add(idle))
	defer func() { _ = v.Conn.SetReadDeadline(time.Time{}) }()
	silent := onlyReads{v.Conn, io.TeeReader(io.LimitReader(v.buffered, maxHello), &read)}
	err = tls.Server(silent, &tls.Config{
		MinVersion: tls.VersionTLS10, // whoever offers less is told later
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

// onlyReads is a connection on which nothing is said.
type onlyReads struct {
	net.Conn
	r io.Reader
}

func (c onlyReads) Read(b []byte) (int, error)  { return c.r.Read(b) }
func (c onlyReads) Write(b []byte) (int, error) { return len(b), nil }
func (c onlyReads) Close() error                { return nil }

// Close ends all connections, and waits until they have been recorded. No more are answered.
func (s *Server) Close() {
	s.begin()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.arrived.end()
	_ = s.http.Close()
	s.busy.Wait()
}

// arrivals is a listener of connections that come one by one.
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
