// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
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
	gate, err := toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
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
		t.Fatalf("refused: %s", answer.Raw)
	}
	return p
}

// TestCancelledHolds holds that a call which the server has keeps its slot after it was cancelled, or its
// client has gone, until the server answers or ends, or for [door.HoldTime].
func TestCancelledHolds(t *testing.T) {
	t.Parallel()
	gone := map[string]func(*pendingTable, *Request) bool{"cancelled": cancelled, "client gone": (*pendingTable).forget}
	for name, end := range map[string]func(t *testing.T, table *pendingTable){
		"answer": func(t *testing.T, table *pendingTable) {
			if !table.answeredLate([]byte("2")) || table.answeredLate([]byte("2")) {
				t.Error("the answer belongs to the cancelled request, once")
			}
		},
		"server ends": func(_ *testing.T, table *pendingTable) { table.ended() },
		"time":        func(*testing.T, *pendingTable) { time.Sleep(door.HoldTime - time.Hour/60) },
	} {
		for how, leave := range gone {
			t.Run(how+", "+name, func(t *testing.T) {
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
					if !forwarded || !leave(&table, r) {
						t.Fatal("the server has the call, and must be told of its end")
					}
					time.Sleep(time.Minute - time.Millisecond)
					if v := gate.Judge(t.Context(), readCall(), toolvet.PointProxy); v.Go {
						t.Error("the slot is free while the server may still work")
					}
					if why := table.add(&Request{id: []byte("2")}); why != idInUse {
						t.Errorf("a request with the id of the cancelled one: %q", why)
					}
					end(t, &table)
					time.Sleep(time.Millisecond)
					synctest.Wait()
					if v := gate.Judge(t.Context(), readCall(), toolvet.PointProxy); !v.Go {
						t.Errorf("the slot is not free afterwards: %v", v)
					}
					if why := table.add(&Request{id: []byte("2")}); why != "" {
						t.Errorf("a request with the id of one that is over: %q", why)
					}
				})
			})
		}
	}
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

// TestEarly holds that the server cannot answer a request that it does not have, in whatever state it is.
func TestEarly(t *testing.T) {
	t.Parallel()
	gate := limited(t, "")
	table := new(pendingTable)
	r := &Request{id: []byte("2"), method: "tools/call", waiting: readCall(), cancel: func() {}}
	states := []func(){
		func() { table.add(r) },
		func() { table.listed(r) },
		func() { table.admitted(r, admit(t, gate)) },
	}
	for i, next := range states {
		next()
		for _, id := range []string{"2", `"2"`} {
			if table.take(jsonrpc.IDKey([]byte(id))) != nil {
				t.Fatalf("state %d: the server answers %s", i, id)
			}
		}
		if !table.has(r) {
			t.Fatalf("state %d: the request is gone", i)
		}
	}
	if !table.forward(r) || table.take("2") != r {
		t.Fatal("the server cannot answer what it has")
	}
}
