// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// passTime bounds the time to connect to an allowed host.
const passTime = 30 * time.Second

// Join connects to a target, and copies the connection to it and back until both sides end or ctx is done.
// It leaves the connection open.
func (g *Guard) Join(ctx context.Context, conn net.Conn, to Target) error {
	_, _, err := g.join(ctx, conn, conn, to)
	return err
}

// join also returns the copied bytes. From has what the program sends.
func (g *Guard) join(ctx context.Context, conn net.Conn, from io.Reader, to Target) (sent, received int64, err error) {
	within, cancel := context.WithTimeout(ctx, passTime)
	defer cancel()
	out, err := g.Dial(within, to)
	if err != nil {
		return 0, 0, err
	}
	defer out.Close()
	defer context.AfterFunc(ctx, func() {
		out.Close()
		conn.Close()
	})()
	var both sync.WaitGroup
	both.Go(func() { sent = pour(out, from) })
	received = pour(conn, out)
	both.Wait()
	return sent, received, nil
}

// pass copies a connection to its target and back.
func (s *Server) pass(v *visit) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // the end of the server ends the connection
		select {
		case <-s.arrived.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	v.attempt.Passed = true
	var err error
	if v.attempt.Sent, v.attempt.Received, err = s.Guard.join(ctx, v.Conn, v, v.attempt.Target); err != nil {
		v.fail("its host could not be reached: " + err.Error())
	}
}

// pour copies until one side ends, and closes the other.
func pour(to net.Conn, from io.Reader) int64 {
	n, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite() // the peer may be gone
		return n
	}
	_ = to.Close()
	return n
}
