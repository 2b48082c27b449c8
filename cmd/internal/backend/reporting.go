// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/toolvet/toolvet/internal/policy"
)

// Handshake has the requests whose failure a program reports as that of the server.
var Handshake = []string{"initialize", "server/discover"}

// Reporting returns the logger of a [Dialer] for a program that reports the error of each request with these methods, or of all,
// itself. As the logger of a gateway, it leaves out servers that lack a variable, of which the program has told.
func Reporting(log *slog.Logger, methods ...string) *slog.Logger {
	if log == nil {
		return nil // a Dialer discards
	}
	return slog.New(reporting{log.Handler(), methods})
}

type reporting struct {
	slog.Handler
	methods []string // nil: all
}

// WithAttrs implements [slog.Handler].
func (r reporting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return reporting{r.Handler.WithAttrs(attrs), r.methods}
}

// WithGroup implements [slog.Handler].
func (r reporting) WithGroup(name string) slog.Handler {
	return reporting{r.Handler.WithGroup(name), r.methods}
}

// Handle implements [slog.Handler].
func (r reporting) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "a server is not connected" {
		var err error
		record.Attrs(func(a slog.Attr) bool {
			if a.Key == "err" {
				err, _ = a.Value.Any().(error)
			}
			return err == nil
		})
		switch {
		case errors.As(err, new(*policy.UnsetError)): // whoever read the policy has said so
			return nil
		case errors.Is(err, context.DeadlineExceeded):
			record = record.Clone()
			record.AddAttrs(slog.String("hint", "if it is slow to start, give it longer with --server-timeout"))
		}
	}
	known := r.methods == nil
	record.Attrs(func(a slog.Attr) bool {
		known = known || a.Key == "method" && slices.Contains(r.methods, a.Value.String())
		return !known
	})
	if known && slices.Contains([]string{"a request got no answer from the server", "no token for a server"}, record.Message) {
		return nil
	}
	return r.Handler.Handle(ctx, record)
}
