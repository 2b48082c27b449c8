// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package redistest gives tests a redis-server of their own, to kill and start again. Without one on
// PATH, the tests are skipped; in CI, with the environment variable CI set to "true", they fail.
package redistest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
)

// A Server is a redis-server on a port of the loopback.
type Server struct {
	Port string

	binary  string
	options []string
	cmd     *exec.Cmd
}

// Start starts a server, which ends with the test. Options go on its command line.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	binary := need.Redis.Program(t, "redis-server")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	s := &Server{binary: binary, Port: port, options: append([]string{
		"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning", "--dir", t.TempDir(),
	}, options...)}
	s.Start(t)
	t.Cleanup(s.Kill)
	return s
}

// Start starts the server again after Kill.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	var out bytes.Buffer
	s.cmd = exec.Command(s.binary, s.options...)
	s.cmd.Stdout, s.cmd.Stderr = &out, &out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !s.answers() {
		if s.cmd.ProcessState != nil || t.Context().Err() != nil {
			t.Fatalf("redis-server does not start:\n%s", out.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// answers reports whether the server answers to PING, even if only to ask for a password.
func (s *Server) answers() bool {
	c, err := net.Dial("tcp", "127.0.0.1:"+s.Port)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, "PING\r\n"); err != nil {
		return false
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	return err == nil && (line == "+PONG\r\n" || strings.HasPrefix(line, "-NOAUTH"))
}

// Kill kills the server without warning.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// URL returns the URL of the server's database 1.
func (s *Server) URL() string { return "redis://127.0.0.1:" + s.Port + "/1" }
