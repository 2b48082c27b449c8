// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// controlFD is init's side of the control socket.
const controlFD = 3

// A note is a message of init, a line of JSON.
type note struct {
	Ready   *ready    `json:"ready,omitempty"`   // with the directory of the layers as a file descriptor
	Started bool      `json:"started,omitempty"` // the server's program is about to run
	Answer  bool      `json:"answer,omitempty"`  // to an order
	Running *Running  `json:"running,omitempty"` // with Answer
	Pending []Pending `json:"pending,omitempty"` // with Answer
	Failed  string    `json:"failed,omitempty"`
	Absent  string    `json:"absent,omitempty"`  // the server's program, which PATH does not have: the sandbox could be built
	Missing string    `json:"missing,omitempty"` // the part that the machine lacks: an [UnsupportedError]
	Fix     string    `json:"fix,omitempty"`
	Event   *Event    `json:"event,omitempty"`
	Exited  *exited   `json:"exited,omitempty"`
}

type ready struct {
	Layers []layer `json:"layers"`
	Gaps   []Gap   `json:"gaps"`
}

// A layer is init's form of a [Layer].
type layer struct {
	Path   string   `json:"path"`
	Name   string   `json:"name"` // below the directory of the layers
	Whole  bool     `json:"whole,omitempty"`
	Made   []string `json:"made,omitempty"`
	Except []string `json:"except,omitempty"`
}

type exited struct {
	Status int      `json:"status"`           // as from wait4
	Left   []string `json:"left,omitempty"`   // programs that were still running
	Limits []string `json:"limits,omitempty"` // that were reached
	Usage  Usage    `json:"usage"`
}

// A control is one side of the control socket. Its send is safe for concurrent use.
type control struct {
	conn *net.UnixConn
	mu   sync.Mutex
	in   *bufio.Reader
}

func newControl(f *os.File) (*control, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, errors.New("not a Unix socket")
	}
	return &control{conn: conn}, nil
}

// send writes v as a line, with file descriptors if there are any.
func (c *control) send(v any, fds ...int) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(fds) > 0 {
		_, _, err = c.conn.WriteMsgUnix(line[:1], unix.UnixRights(fds...), nil)
		line = line[1:]
	}
	if err == nil {
		_, err = c.conn.Write(line)
	}
	return err
}

// maxNote bounds a line of the control socket, in bytes.
const maxNote = 16 << 20

// receive reads the next line into v. After receiveFile, its caller must put the received byte in front
// of the stream.
func (c *control) receive(v any) error {
	if c.in == nil {
		c.in = bufio.NewReader(c.conn)
	}
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(line) > maxNote {
				return fmt.Errorf("a message of more than %d bytes", maxNote)
			}
			continue
		case err != nil:
			return err
		}
		return json.Unmarshal(line, v)
	}
}

// receiveFile receives a file descriptor, which comes with one byte.
func (c *control) receiveFile() (first byte, f *os.File, err error) {
	data, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := c.conn.ReadMsgUnix(data, oob)
	if err != nil {
		return 0, nil, err
	}
	if n == 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	if oobn == 0 {
		return data[0], nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) != 1 {
		return 0, nil, errors.New("no file descriptor came")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, nil, errors.New("no file descriptor came")
	}
	unix.CloseOnExec(fds[0])
	return data[0], os.NewFile(uintptr(fds[0]), "passed"), nil
}
