// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
	"github.com/toolvet/toolvet/upstream/upstreamtest"
)

// TestCallStopped holds that a call whose caller gives up while it is judged, or counted, is not made, and that its error
// is that of the caller's context.
func TestCallStopped(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for name, options := range map[string]func(cancel func()) toolvet.Option{
		"judged": func(cancel func()) toolvet.Option {
			return toolvet.WithMoreChecks(&check.Check{Name: "leave", Doc: "# leave\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel,
				Run: func(ctx context.Context, _ *check.Pass) error {
					cancel()
					<-ctx.Done()
					return ctx.Err()
				}})
		},
		"counted": func(cancel func()) toolvet.Option {
			return toolvet.WithInside(engine.Parts{Limiter: leaving{cancel, release}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			gate, err := toolvet.New(options(cancel))
			if err != nil {
				t.Fatal(err)
			}
			ran := func(context.Context, json.RawMessage) (string, error) {
				t.Error("the call is made")
				return "", nil
			}
			set, err := upstream.NewSet(upstream.Config{Gate: func(string) *toolvet.Gate { return gate },
				Servers: []upstream.Server{{Name: "s", Dialer: upstreamtest.Server{{Name: "x", Handler: ran}}}}})
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close(context.Background())
			o, err := set.Call(ctx, "s:x", json.RawMessage(`{}`))
			if !errors.Is(err, context.Canceled) || o == nil || o.Ran || strings.Contains(string(o.Raw), "toolvet's log") {
				t.Errorf("got %+v and %v, want %v", o, err, context.Canceled)
			}
		})
	}
}

// A leaving is a limiter whose caller gives up meanwhile.
type leaving struct {
	cancel  func()
	release chan struct{}
}

func (l leaving) Take(_ context.Context, _ *call.Call) (engine.Ticket, []check.Finding) {
	l.cancel()
	<-l.release // the Gate does not wait for it
	return nil, nil
}

func (leaving) Peek(context.Context, *call.Call) ([]engine.Allowance, []check.Finding) {
	return nil, nil
}

type nowhere struct{}

func (nowhere) Dial(context.Context, io.Writer) (upstream.Transport, error) { return nil, nil }

// TestNoTransport holds that a Dialer without an answer is an error, not a panic.
func TestNoTransport(t *testing.T) {
	t.Parallel()
	if _, err := servers.Connect(t.Context(), nowhere{}, servers.Options{}); err == nil || !strings.Contains(err.Error(), "Dialer") {
		t.Errorf("got %v", err)
	}
}
