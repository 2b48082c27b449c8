// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// limited is a gate with limits.
func limited(t *testing.T, yaml string) *toolvet.Gate {
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

// left is the least that any limit has left for calls of read.
func left(gate *toolvet.Gate) int {
	v := gate.Judge(context.Background(), readCall(), toolvet.PointValidate)
	least := -1
	for i, a := range v.Allowances {
		if i == 0 || a.Remaining < least {
			least = a.Remaining
		}
	}
	return least
}

// A judgedObserver does something between the verdict and the server.
type judgedObserver struct {
	fakeObserver
	judged chan bool // whether the call was admitted; it gets one value, when then has returned
	then   func() error
}

func (o *judgedObserver) Judged(_ context.Context, e *toolvet.Event) error {
	e.Keep = e.Request
	var err error
	if e.Verdict.Go {
		err = o.then()
	}
	o.judged <- e.Verdict.Go
	return err
}

// TestRollback holds that a call which was admitted and then did not reach the server is not
// counted, and that one which did is.
func TestRollback(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]rollbackCase{
		"not recorded": {
			then: func(*stage) error { return errors.New("the disk is full") },
			after: func(s *stage) {
				if got := s.play("C<"); !strings.Contains(got, "cannot be recorded") {
					s.t.Errorf("got %s", got)
				}
			},
			left: 1,
		},
		"cancelled": {
			then: func(s *stage) error {
				s.play(`C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
				s.play(`C> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"after"}}`)
				if got := s.play("S<"); !strings.Contains(got, "after") {
					s.t.Errorf("the server gets %s", got)
				}
				return nil
			},
			left: 1,
		},
		"the server is gone": {
			then: func(s *stage) error {
				s.server.die(process.Exit{Code: 1})
				return nil
			},
			after: func(s *stage) {
				if got := s.play("C<"); !strings.Contains(got, "the server ") {
					s.t.Errorf("got %s", got)
				}
			},
			left: 1,
		},
		"the server takes nothing": {
			then: func(s *stage) error {
				s.server.stdin.CloseWithError(os.ErrClosed)
				return nil
			},
			after: func(s *stage) {
				if got := s.play("C<"); !strings.Contains(got, "does not take messages any more") {
					s.t.Errorf("got %s", got)
				}
			},
			left: 1,
		},
		"made": {
			then: func(*stage) error { return nil },
			after: func(s *stage) {
				s.play("S<")
				s.play(`S> {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
				s.play("C<")
			},
		},
		"made, and the server dies": {
			then: func(*stage) error { return nil },
			after: func(s *stage) {
				s.play("S<")
				s.play("S!")
				s.play("C<")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.try(t)
		})
	}
}

// A rollbackCase is one way that an admitted call can go.
type rollbackCase struct {
	then  func(*stage) error // between the verdict and the server
	after func(*stage)
	left  int // calls afterwards
}

func (tt rollbackCase) try(t *testing.T) {
	gate := limited(t, "limits: [{name: one, rate: 1/h, concurrency: 1, quota: 1/month}]\n")
	o := &judgedObserver{judged: make(chan bool, 1)}
	s := newStage(t, Config{Config: relay.Config{Observer: o, Gate: func() *toolvet.Gate { return gate }}})
	o.then = func() error {
		if n := left(gate); n > 0 {
			t.Errorf("%d calls are left beside the admitted one", n)
		}
		return tt.then(s)
	}
	// The tool is not known yet, so the call is judged beside the messages after it.
	s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":"toolvet-test-1","result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
	if !<-o.judged {
		t.Fatal("the call is not admitted")
	}
	if tt.after != nil {
		tt.after(s)
	}
	for deadline := time.Now().Add(patience); left(gate) != tt.left; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls are left, want %d", left(gate), tt.left)
		}
	}
}
