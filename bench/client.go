// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// A client speaks MCP 2025-11-25 to one command over stdio. It does nothing else, and its own cost is the same in
// every path. It is not safe for concurrent use.
type client struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	nextID int
	stderr bytes.Buffer
}

// overStdio is the path to a command.
func overStdio(name string, command ...string) path {
	return path{name, func(ctx context.Context) (caller, error) { return start(ctx, command) }}
}

// start starts a command and shakes hands. The command is killed when ctx is done.
func start(ctx context.Context, command []string) (*client, error) {
	c := &client{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = time.Second
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.stdin, c.stdout = stdin, bufio.NewReaderSize(stdout, 1<<20)
	if err := c.handshake(); err != nil {
		c.close()
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, c.stderr.String())
	}
	return c, nil
}

func (c *client) handshake() error {
	_, err := c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	_, err = c.request("tools/list", `{}`)
	return err
}

// request sends a request and returns the result in its response. It ignores notifications and requests of the
// server.
func (c *client) request(method, params string) (json.RawMessage, error) {
	c.nextID++
	if _, err := fmt.Fprintf(c.stdin, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.nextID, method, params); err != nil {
		return nil, err
	}
	for {
		line, err := c.line()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case m.Method != "":
		case m.Result == nil:
			return nil, fmt.Errorf("%s is answered with an error: %.200s", method, line)
		default:
			return m.Result, nil
		}
	}
}

// line reads one line, valid until the next read.
func (c *client) line() ([]byte, error) {
	line, err := c.stdout.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		var rest []byte
		line = bytes.Clone(line)
		rest, err = c.stdout.ReadBytes('\n')
		line = append(line, rest...)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return line, err
}

// close ends the command: it closes its input and kills it if that does not help.
func (c *client) close() {
	_ = c.stdin.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_, _ = io.Copy(io.Discard, c.stdout)
	_ = c.cmd.Wait() // its exit status does not matter
}

// An echo is a call of the tool echo, with the means to recognise its answer.
type echo struct {
	before, after []byte // the id is in between
	want          []byte // part of every right answer
}

func newEcho(size int) (*echo, error) {
	message := prose(size)
	params, err := json.Marshal(map[string]any{"name": "echo", "arguments": map[string]string{"message": message}})
	if err != nil {
		return nil, err
	}
	quoted, err := json.Marshal("Echo: " + message)
	if err != nil {
		return nil, err
	}
	return &echo{
		before: []byte(`{"jsonrpc":"2.0","id":`),
		after:  fmt.Appendf(nil, `,"method":"tools/call","params":%s}`+"\n", params),
		want:   quoted,
	}, nil
}

// send writes a call with a new id, as one write.
func (c *client) send(e *echo, buf []byte) ([]byte, error) {
	c.nextID++
	buf = append(buf[:0], e.before...)
	buf = fmt.Append(buf, c.nextID)
	buf = append(buf, e.after...)
	_, err := c.stdin.Write(buf)
	return buf, err
}

// receive reads an answer and checks it.
func (c *client) receive(e *echo) error {
	line, err := c.line()
	if err != nil {
		return err
	}
	if !bytes.Contains(line, e.want) {
		return fmt.Errorf("the answer is not the echo: %.200s", line)
	}
	return nil
}

// pid implements caller.
func (c *client) pid() int { return c.cmd.Process.Pid }

// sequential implements caller.
func (c *client) sequential(e *echo, n int) ([]time.Duration, error) {
	latencies := make([]time.Duration, 0, n)
	var buf []byte
	for range n {
		began := time.Now()
		var err error
		if buf, err = c.send(e, buf); err == nil {
			err = c.receive(e)
		}
		if err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Since(began))
	}
	return latencies, nil
}

// flood implements caller. The next call follows an answer at once. One goroutine writes and another reads: the pipes of a
// server that answers one call after the other hold less than all calls.
func (c *client) flood(e *echo, n int) (time.Duration, error) {
	began := time.Now()
	slots, stop, sent := make(chan struct{}, inFlight), make(chan struct{}), make(chan error, 1)
	go func() {
		var buf []byte
		var err error
		for i := 0; i < n && err == nil; i++ {
			select {
			case slots <- struct{}{}:
				buf, err = c.send(e, buf)
			case <-stop:
				return
			}
		}
		sent <- err
	}()
	for range n {
		if err := c.receive(e); err != nil {
			close(stop)
			return 0, err
		}
		<-slots
	}
	return time.Since(began), <-sent
}
