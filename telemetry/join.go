// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"

	"github.com/toolvet/toolvet/internal/observe"
)

// Join combines Observers. Each gets the context from the one before. The Observer of none ignores calls; its spans
// have the trace id of their call.
func Join(observers ...Observer) Observer {
	switch len(observers) {
	case 0:
		return discard{}
	case 1:
		return observers[0]
	}
	return joined(append([]Observer(nil), observers...))
}

type joined []Observer

// Policy tells all of them which policy is in force.
func (j joined) Policy(read func() observe.Policy) {
	for _, o := range j {
		observe.ExportPolicy(o, read)
	}
}

func (j joined) Start(ctx context.Context, c Call) (context.Context, Span) {
	spans := make(joinedSpans, len(j))
	for i, o := range j {
		ctx, spans[i] = o.Start(ctx, c)
	}
	return ctx, spans
}

type joinedSpans []Span

// TraceID returns the id of the first span that has one.
func (j joinedSpans) TraceID() string {
	for _, s := range j {
		if id := s.TraceID(); id != "" {
			return id
		}
	}
	return ""
}

// Traceparent returns that of the first span that has one.
func (j joinedSpans) Traceparent() string {
	for _, s := range j {
		if parent := s.Traceparent(); parent != "" {
			return parent
		}
	}
	return ""
}

// Context returns ctx with all spans, each within the one before.
func (j joinedSpans) Context(ctx context.Context) context.Context {
	for _, s := range j {
		ctx = s.Context(ctx)
	}
	return ctx
}

func (j joinedSpans) End(o Outcome) {
	for _, s := range j {
		s.End(o)
	}
}

type discard struct{}

func (discard) Start(ctx context.Context, c Call) (context.Context, Span) {
	return ctx, silent{observe.Silent(observe.TraceID(c.Meta))}
}

type silent struct{ observe.Silent }

func (silent) End(Outcome) {}
