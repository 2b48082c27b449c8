// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/terminal"
)

// A statusLine is standard error, where toolvet can tell what it is busy with: on a terminal in the last line, which goes when
// something else is written, and elsewhere in lines of their own. It is safe for concurrent use.
type statusLine struct {
	w     io.Writer
	drawn bool // on a terminal

	mu    sync.Mutex
	shown bool
}

// Write removes the line and writes p.
func (s *statusLine) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return s.w.Write(p)
}

// A besideStatus is standard output on the terminal of a statusLine.
type besideStatus struct {
	w      io.Writer
	status *statusLine
}

// Write removes the line and writes p.
func (b *besideStatus) Write(p []byte) (int, error) {
	b.status.mu.Lock()
	defer b.status.mu.Unlock()
	b.status.erase()
	return b.w.Write(p)
}

// erase removes the line. A failed write shows at the next one.
func (s *statusLine) erase() {
	if s.shown {
		_, _ = io.WriteString(s.w, "\r\x1b[K")
		s.shown = false
	}
}

func (s *statusLine) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	_, _ = io.WriteString(s.w, text)
	s.shown = true
}

// Standard error that is no terminal is read later, by a person or a program: few lines do.
const (
	plainAfter = 3 * time.Second
	plainEvery = 10 * time.Second
)

// tell tells what toolvet is busy with. The lines of a file are at least plainEvery apart.
func (s *statusLine) tell(what string, busy, told time.Duration) time.Duration {
	if s.drawn {
		s.show(fmt.Sprintf("%s … %d s", what, int(busy.Seconds())))
		return busy
	}
	if busy < plainAfter || told > 0 && busy < told+plainEvery {
		return told
	}
	terminal.Fprintf(terminal.NewWriter(s), "toolvet: %s … %d s\n", what, int(busy.Seconds()))
	return busy
}

// working tells a terminal each second what toolvet is busy with, until end is called, and a pipe or file each ten. Short work
// tells nothing.
func (a *app) working(what string) (end func()) {
	return a.workingOn(func() string { return what })
}

// workingOn is working with a text that may change. Another goroutine calls what.
func (a *app) workingOn(what func() string) (end func()) {
	if a.status == nil {
		return func() {}
	}
	began, over := time.Now(), make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		var last time.Duration
		for {
			select {
			case now := <-tick.C:
				last = a.status.tell(what(), now.Sub(began), last)
			case <-over:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(over)
		told.Wait()
		a.status.mu.Lock()
		a.status.erase()
		a.status.mu.Unlock()
	})
}
