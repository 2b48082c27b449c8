// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"testing"
)

// A floodSession is a client that keeps a number of calls on their way.
type floodSession struct {
	w      io.Writer
	flight int
	sent   int
	err    error // of the last write
}

func (s *floodSession) begin() {
	fmt.Fprintln(s.w, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	for range s.flight {
		s.more()
	}
}

// more sends one more call; every fourth is refused, or asks for validation.
func (s *floodSession) more() {
	params := fmt.Sprintf(`{"name":"open","arguments":{"wait":%d}}`, s.sent%20)
	switch s.sent % 8 {
	case 3:
		params = `{"name":"danger","arguments":{}}`
	case 7:
		params = `{"name":"validate","arguments":{"tool":"danger","arguments":{}}}`
	}
	if _, s.err = fmt.Fprintf(s.w, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", s.sent, params); s.err == nil {
		s.sent++
	}
}

func (s *floodSession) expectAnswers(t *testing.T, answered map[string]int) {
	t.Helper()
	ids := []string{`"hello"`}
	for i := range s.sent {
		ids = append(ids, strconv.Itoa(i))
	}
	for _, id := range ids {
		if answered[id] != 1 {
			t.Errorf("id %s was answered %d times", id, answered[id])
		}
	}
	if len(answered) != len(ids) {
		t.Errorf("answers to %d ids, want %d", len(answered), len(ids))
	}
}

// runClient is a client process: it starts the command args[1:], keeps args[0] calls on
// their way, and copies what it gets.
func runClient(args []string) int {
	flight, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	cmd := exec.Command(args[1], args[2:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 2
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 2
	}
	if err := cmd.Start(); err != nil {
		return 2
	}
	s := &floodSession{w: stdin, flight: flight}
	s.begin()
	for lines := bufio.NewScanner(stdout); lines.Scan(); s.more() {
		fmt.Println(lines.Text())
	}
	return 0
}
