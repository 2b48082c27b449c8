// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// A scheduler is a "toolvet schedule serve" with the guest as its MCP client.
type scheduler struct {
	process *os.Process
	in      *os.File
	out     *bufio.Reader
	last    int // id of the last request
}

const logFile = "/tmp/log"

// start starts "toolvet schedule serve". Its standard error goes into logFile.
func start() (*scheduler, error) {
	log, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirOut.Close()
	process, err := os.StartProcess("/toolvet", []string{"toolvet", "schedule", "serve", "--policy", "/tmp/toolvet.yaml", "--verbose"}, &os.ProcAttr{
		Dir: "/tmp", Env: []string{"PATH=/", "HOME=/tmp", "ZONEINFO=/zones"}, Files: []*os.File{theirIn, theirOut, log},
	})
	if err != nil {
		return nil, err
	}
	s := &scheduler{process: process, in: in, out: bufio.NewReader(out)}
	if _, err := s.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"guest","version":"1"}}`); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s, err
}

// ask makes a request, and returns its result.
func (s *scheduler) ask(method, params string) (json.RawMessage, error) {
	s.last++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.last, method, params); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("the scheduler says no more: %w", err)
		}
		var m struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		switch {
		case m.ID != s.last: // a notification
		case m.Error != nil:
			return nil, errors.New(string(m.Error))
		default:
			return m.Result, nil
		}
	}
}

// call calls one of the scheduler's tools.
func (s *scheduler) call(tool string, arguments, into any) error {
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	result, err := s.ask("tools/call", string(params))
	if err != nil {
		return err
	}
	var r struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	if r.IsError {
		return errors.New(r.Content[0].Text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(r.StructuredContent, into)
}

// kill kills the scheduler and its server, as a crash would.
func (s *scheduler) kill() error {
	err := s.process.Signal(syscall.SIGKILL)
	_, waitErr := s.process.Wait()
	return errors.Join(err, waitErr, s.in.Close())
}
