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

// pass copies a connection to its target and back.
func (s *Server) pass(v *visit) {
	ctx, cancel := context.WithTimeout(context.Background(), passTime)
	defer cancel()
	v.attempt.Passed = true
	out, err := s.Guard.Dial(ctx, v.attempt.Target)
	if err != nil {
		v.fail("its host could not be reached: " + err.Error())
		return
	}
	defer out.Close()
	stop := make(chan struct{})
	defer close(stop)
	go func() { // the end of the server ends the connection
		select {
		case <-s.arrived.closed:
			out.Close()
			v.Conn.Close()
		case <-stop:
		}
	}()
	var both sync.WaitGroup
	both.Go(func() { v.attempt.Sent = pour(out, v) })
	v.attempt.Received = pour(v.Conn, out)
	both.Wait()
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
