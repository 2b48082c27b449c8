// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"io"
	"os"
	"time"
)

// stdio is the server's standard input, output and error: their ends for the
// server, our ends for us. Ours has no standard error unless we copy it.
type stdio struct {
	theirs, ours [3]*os.File
	passed       bool // theirs[2] is the caller's file, not ours to close
}

func openStdio(stderr io.Writer) (files *stdio, err error) {
	files = new(stdio)
	defer func() {
		if err != nil {
			files.closeTheirs()
			files.closeOurs()
			err = fmt.Errorf("cannot open pipes for the server: %w", err)
		}
	}()
	if files.theirs[0], files.ours[0], err = os.Pipe(); err != nil {
		return nil, err
	}
	if files.ours[1], files.theirs[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	switch w := stderr.(type) {
	case nil:
		files.theirs[2], err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	case *os.File:
		files.theirs[2], files.passed = w, true
	default:
		files.ours[2], files.theirs[2], err = os.Pipe()
	}
	return files, err
}

func (s *stdio) closeTheirs() {
	s.theirs[0].Close()
	s.theirs[1].Close()
	if !s.passed {
		s.theirs[2].Close()
	}
}

func (s *stdio) closeOurs() {
	for _, f := range s.ours {
		f.Close() // a nil *os.File refuses, and does no harm
	}
}

// copyStderr copies from r to w. The returned function waits for the end, but not for a stuck writer or
// an endless reader.
func copyStderr(w io.Writer, r *os.File) (finish func()) {
	if r == nil {
		return func() {}
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		if _, err := io.Copy(w, r); err != nil {
			// Our side must not block the server.
			io.Copy(io.Discard, r)
		}
	}()
	return func() {
		select {
		case <-copied:
		case <-time.After(stderrWait):
		}
		r.Close()
	}
}
