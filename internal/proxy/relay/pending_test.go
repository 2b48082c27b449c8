// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/policy"
)

// limited is a gate with limits.
func limited(t testing.TB, yaml string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := new(access.Enforcer).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(append(options, toolvet.WithPolicy(p))...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

func readCall() *call.Call {
	return &call.Call{Name: "read", Tool: &call.Tool{Name: "read", InputSchema: []byte(`{"type":"object"}`)}, Arguments: map[string]any{}, Raw: []byte("{}")}
}

// admit lets a call in.
func admit(t *testing.T, gate *toolvet.Gate) *door.Passage {
	t.Helper()
	d := door.Door{Gate: func() *toolvet.Gate { return gate }, Point: toolvet.PointProxy, Logger: slog.New(slog.DiscardHandler)}
	p := d.Enter(t.Context(), readCall(), door.Request{})
	if answer, refused := p.Refusal(); refused {
		t.Fatalf("refused: %s", answer)
	}
	return p
}

// TestCancelledHolds holds that a call which the server has keeps its slot for a while after it
// was cancelled: the server may go on working.
func TestCancelledHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := limited(t, "limits: [{name: slots, concurrency: 1}]\n")
		p := admit(t, gate)
		var table pendingTable
		r := &Request{id: []byte("2"), method: "tools/call"}
		table.add(r)
		table.admitted(r, p)
		forwarded := table.forward(r)
		p.Sent()
		if !forwarded || !cancelled(&table, r) {
			t.Fatal("the server has the call, and must be told of its end")
		}
		time.Sleep(afterCancel - time.Millisecond)
		if v := gate.Judge(t.Context(), readCall(), toolvet.PointProxy); v.Go {
			t.Error("the slot is free while the server may still work")
		}
		time.Sleep(2 * time.Millisecond)
		if v := gate.Judge(t.Context(), readCall(), toolvet.PointProxy); !v.Go {
			t.Errorf("the slot is not free afterwards: %v", v)
		}
	})
}

// TestLostWhileSent holds that a call which ends while it is sent is not counted if the server did not
// take it, and is if it did.
func TestLostWhileSent(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		gate := limited(t, "limits: [{name: quota, quota: 1/day}]\n")
		p := admit(t, gate)
		var table pendingTable
		r := &Request{id: []byte("2"), method: "tools/call"}
		table.add(r)
		table.admitted(r, p)
		table.forward(r)
		table.remove(r)
		if !taken {
			p.Unsent()
		}
		p.Sent()
		if v := gate.Judge(t.Context(), readCall(), toolvet.PointProxy); v.Go == taken {
			t.Errorf("taken: %v: the next call is a go: %v", taken, v.Go)
		}
	}
}

func cancelled(t *pendingTable, r *Request) bool {
	_, tell := t.cancelled(r.id)
	return tell
}
