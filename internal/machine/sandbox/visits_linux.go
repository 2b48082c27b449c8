// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// visitsFD is init's side of the socket for connections. Each packet has a [Target] and the
// connection's descriptor.
const visitsFD = 4

// maxTarget bounds a Target as JSON, in bytes.
const maxTarget = 1024

// visits are connections from inside.
type visits struct {
	socket *os.File
	accept func(net.Conn, Target)
	places chan struct{} // one for each connection at a time
	ended  sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// Descriptors of this process for a connection that is joined to its target: both ends, and two pipes of splice(2).
const perVisit = 6

// affordable returns how many connections a sandbox may have at a time, at most the given number. They take a fifth of the
// open files that this process may have, so that a server cannot keep it from opening others, such as a policy.
func affordable(most int, limit uint64) int {
	return int(min(uint64(most), max(1, limit/5/perVisit)))
}

// openFiles returns the limit of open files of this process.
func openFiles() uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return l.Cur
}

// newVisits makes the socket, and returns init's side as well.
func newVisits(accept func(net.Conn, Target), most int) (v *visits, inits *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	// Our side supports polling, and can be closed meanwhile.
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return nil, nil, err
	}
	v = &visits{socket: os.NewFile(uintptr(pair[0]), "visits"), accept: accept, places: make(chan struct{}, most), open: map[net.Conn]bool{}}
	return v, os.NewFile(uintptr(pair[1]), "visits"), nil
}

func (v *visits) serve() {
	for {
		v.places <- struct{}{}
		conn, to, err := v.receive()
		if err != nil {
			return
		}
		if conn == nil || !v.enter(conn) {
			<-v.places
			continue
		}
		go func() {
			defer v.leave(conn)
			v.accept(conn, to)
		}()
	}
}

// receive receives a connection; nil if it is unusable.
func (v *visits) receive() (net.Conn, Target, error) {
	raw, err := v.socket.SyscallConn()
	if err != nil {
		return nil, Target{}, err
	}
	data, oob := make([]byte, maxTarget), make([]byte, unix.CmsgSpace(4))
	var n, oobn int
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, oobn, _, _, failed = unix.Recvmsg(int(fd), data, oob, unix.MSG_CMSG_CLOEXEC)
		return failed != unix.EAGAIN
	})
	if err == nil {
		err = failed
	}
	if err == nil && n == 0 {
		err = os.ErrClosed
	}
	if err != nil {
		return nil, Target{}, err
	}
	f := passed(oob[:oobn])
	if f == nil {
		return nil, Target{}, nil
	}
	defer f.Close()
	var to Target
	if err := json.Unmarshal(data[:n], &to); err != nil {
		return nil, Target{}, nil
	}
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, Target{}, nil
	}
	return conn, to, nil
}

// passed returns the descriptor in a packet, or nil.
func passed(oob []byte) *os.File {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(messages) != 1 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil
	}
	return os.NewFile(uintptr(fds[0]), "passed")
}

// enter registers a connection, unless the sandbox is closed.
func (v *visits) enter(conn net.Conn) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		conn.Close()
		return false
	}
	v.open[conn] = true
	v.ended.Add(1)
	return true
}

func (v *visits) leave(conn net.Conn) {
	conn.Close()
	v.mu.Lock()
	delete(v.open, conn)
	v.mu.Unlock()
	<-v.places
	v.ended.Done()
}

// hangUp ends the open connections, and reports whether there was one.
func (v *visits) hangUp() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for conn := range v.open {
		conn.Close()
	}
	return len(v.open) > 0
}

// close ends all connections, and waits for their handlers.
func (v *visits) close() {
	v.socket.Close()
	v.mu.Lock()
	v.closed = true
	for conn := range v.open {
		conn.Close()
	}
	v.mu.Unlock()
	v.ended.Wait()
}
