// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package repeats writes a warning once that comes again and again.
package repeats

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

const (
	// keep is how long a warning counts as known.
	keep = time.Hour
	// most bounds the known warnings.
	most = 64
)

// A Memory holds the warnings about one thing, such as a server.
type Memory struct {
	mu   sync.Mutex
	said map[string]time.Time
}

// Forget has each warning written again. The thing is well.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.said)
}

// Logger returns log with a memory: a known warning gets the level Debug. Warnings are alike if their message, "err" and "stderr" are;
// the digits in them do not count, because times and counts differ.
func (m *Memory) Logger(log *slog.Logger) *slog.Logger {
	return slog.New(&handler{log.Handler(), m})
}

type handler struct {
	slog.Handler
	memory *Memory
}

// WithAttrs implements [slog.Handler].
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(attrs), h.memory}
}

// WithGroup implements [slog.Handler].
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.memory}
}

var digits = lazyregexp.New(`[0-9]+`)

// Handle implements [slog.Handler].
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn && h.memory.known(r) {
		again := slog.NewRecord(r.Time, slog.LevelDebug, r.Message+", still", r.PC)
		r.Attrs(func(a slog.Attr) bool {
			again.AddAttrs(a)
			return true
		})
		if r = again; !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// known notes a warning, and reports whether it was known.
func (m *Memory) known(r slog.Record) bool {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" || a.Key == "stderr" {
			text += "\x00" + a.Value.String()
		}
		return true
	})
	text = digits.ReplaceAllString(text, "0")
	m.mu.Lock()
	defer m.mu.Unlock()
	first, known := m.said[text]
	if known && r.Time.Sub(first) < keep {
		return true
	}
	if m.said == nil || len(m.said) >= most {
		m.said = map[string]time.Time{}
	}
	m.said[text] = r.Time
	return false
}
