// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/mcpgate"
)

// A fakeObserver remembers what it is told, and fails when it should.
type fakeObserver struct {
	mu               sync.Mutex
	told             []string
	failJudged, fail bool
}

func (o *fakeObserver) tell(fails bool, format string, args ...any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, fmt.Sprintf(format, args...))
	if fails {
		return errors.New("no room is left")
	}
	return nil
}

func (o *fakeObserver) Judged(_ context.Context, e *toolvet.Event) error {
	e.Keep = e.Call.Name
	return o.tell(o.failJudged, "%s is judged at %d: %v", e.Call.Name, e.Point, e.Verdict.Go)
}

func (o *fakeObserver) Returned(_ context.Context, e *toolvet.Event) error {
	return o.tell(o.fail, "%v returns: bytes %v, failed %v", e.Keep, e.Bytes > 0, e.Failed)
}

func (o *fakeObserver) Listed(_ context.Context, _ string, tools *call.Catalog) {
	_ = o.tell(false, "listed %d", len(tools.Names()))
}

// Each call is told of before it runs, and after it has returned, whatever it returned. What
// cannot be recorded does not run, or is not shown.
func TestObserver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tool, arguments string
		observer              *fakeObserver
		told                  []string
		answer                string
	}{
		{"go", "read", `{"path":"x"}`, &fakeObserver{}, []string{"read is judged at 0: true", "read returns: bytes true, failed false"}, `"content"`},
		{"no-go", "read", `{"path":5}`, &fakeObserver{}, []string{"read is judged at 0: false"}, "refused"},
		{"unknown", "raed", `{}`, &fakeObserver{}, []string{"raed is judged at 0: false"}, "did you mean the tool read?"},
		{"fails", "fail", `{}`, &fakeObserver{}, []string{"fail is judged at 0: true", "fail returns: bytes true, failed true"}, `"error":`},
		{"answers with an error", "fail-coded", `{}`, &fakeObserver{}, []string{"fail-coded is judged at 0: true", "fail-coded returns: bytes true, failed true"}, `"error":`},
		{"panics", "panic", `{}`, &fakeObserver{}, []string{"panic is judged at 0: true", "panic returns: bytes false, failed true"}, `"isError":true`},
		{"dry run", "validate", `{"tool":"read","arguments":{"path":5}}`, &fakeObserver{}, []string{"read is judged at 2: false"}, `"valid":false`},
		{"cannot be recorded", "read", `{"path":"x"}`, &fakeObserver{failJudged: true}, []string{"read is judged at 0: true"}, "cannot be recorded, so it is refused"},
		{"cannot be recorded after", "read", `{"path":"x"}`, &fakeObserver{fail: true},
			[]string{"read is judged at 0: true", "read returns: bytes true, failed false"}, "cannot be recorded, so it is withheld"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, ran := newServer(nil)
			if err := mcpgate.Install(server, newGate(t, toolvet.WithObserver(tt.observer)), mcpgate.WithLogger(slog.New(slog.DiscardHandler))); err != nil {
				t.Fatal(err)
			}
			got := open(t, server, "2025-11-25").call(tt.tool, tt.arguments).line
			if !strings.Contains(got, tt.answer) || strings.Contains(got, "no room") {
				t.Errorf("got %s, want %s", got, tt.answer)
			}
			if tt.observer.failJudged && len(ran.take()) > 0 {
				t.Error("it runs all the same")
			}
			tt.observer.mu.Lock()
			defer tt.observer.mu.Unlock()
			if diff := cmp.Diff(append([]string{"listed 7"}, tt.told...), tt.observer.told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}
