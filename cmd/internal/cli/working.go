// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A statusLine is standard error on a terminal, whose last line can tell what toolvet is busy with. It is safe for concurrent
// use.
type statusLine struct {
	w io.Writer

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

// working tells a terminal each second what toolvet is busy with, until end is called. Short work tells nothing, and neither
// does toolvet if its standard error is no terminal.
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
		for {
			select {
			case now := <-tick.C:
				a.status.show(fmt.Sprintf("%s … %d s", what(), int(now.Sub(began).Seconds())))
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
