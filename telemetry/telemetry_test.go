// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"slices"
	"testing"

	"github.com/toolvet/toolvet/internal/observe"
)

// A recorder is an Observer that notes its calls.
type recorder struct {
	name string
	told *[]string
}

type key string

func (r recorder) Start(ctx context.Context, c Call) (context.Context, Span) {
	before, _ := ctx.Value(key("by")).(string)
	*r.told = append(*r.told, r.name+" starts "+c.Tool+" after "+before)
	return context.WithValue(ctx, key("by"), r.name), recordedSpan{r, observe.Silent(map[string]string{"b": "id of b", "c": "id of c"}[r.name])}
}

type recordedSpan struct {
	recorder
	observe.Silent
}

func (s recordedSpan) End(o Outcome) {
	*s.told = append(*s.told, s.name+" ends "+o.Verdict+" "+o.Code())
}

func TestJoin(t *testing.T) {
	t.Parallel()
	var told []string
	o := Join(recorder{"a", &told}, recorder{"b", &told}, recorder{"c", &told})
	ctx, span := o.Start(t.Context(), Call{Tool: "fetch"})
	span.End(Outcome{Verdict: "no-go", Codes: []string{"SCHEMA", "POLICY"}})
	want := []string{
		"a starts fetch after ", "b starts fetch after a", "c starts fetch after b",
		"a ends no-go SCHEMA", "b ends no-go SCHEMA", "c ends no-go SCHEMA",
	}
	if !slices.Equal(told, want) || span.TraceID() != "id of b" || ctx.Value(key("by")) != "c" {
		t.Errorf("told %q, want %q; trace %q", told, want, span.TraceID())
	}
}

func TestJoinOfNone(t *testing.T) {
	t.Parallel()
	for _, o := range []Observer{Join(), Join(Join()), Join(Join(), Join())} {
		_, span := o.Start(t.Context(), Call{Meta: map[string]any{observe.Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}})
		span.End(Outcome{})
		if span.TraceID() != "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("trace %q of %T", span.TraceID(), o)
		}
	}
}
