// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"context"
	"errors"
	"log/slog"

	"github.com/toolvet/toolvet/internal/policy"
)

// Handshake reports whether a request begins a connection. It is the Told of a program's Dialers: the program reports the failure as the server's.
func Handshake(method string) bool { return method == "initialize" || method == "server/discover" }

// Every is the Told of the [Dialer] of a program that reports the error of each request.
func Every(string) bool { return true }

// Reporting returns the logger of a gateway without records of servers that lack a variable: the program has named them.
func Reporting(log *slog.Logger) *slog.Logger { return slog.New(reporting{log.Handler()}) }

type reporting struct{ slog.Handler }

// WithAttrs implements [slog.Handler].
func (r reporting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return reporting{r.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (r reporting) WithGroup(name string) slog.Handler {
	return reporting{r.Handler.WithGroup(name)}
}

// Handle implements [slog.Handler].
func (r reporting) Handle(ctx context.Context, record slog.Record) error {
	var err error
	down := false // the record of a server that is not connected counts the failures
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" {
			err, _ = a.Value.Any().(error)
		}
		down = down || a.Key == "failures"
		return true
	})
	switch {
	case down && errors.As(err, new(*policy.UnsetError)): // whoever read the policy has said so
		return nil
	case down && errors.Is(err, context.DeadlineExceeded):
		record = record.Clone()
		record.AddAttrs(slog.String("hint", "if it is slow to start, give it longer with --server-timeout"))
	}
	return r.Handler.Handle(ctx, record)
}
