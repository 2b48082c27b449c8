// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// TestFormsTakeLoans holds that every message of a client is parsed only if there is memory for its form:
// a call, another request, and an answer. The budget belongs to the process, so the test runs alone.
func TestFormsTakeLoans(t *testing.T) {
	gate, err := toolvet.New()
	if err != nil {
		t.Fatal(err)
	}
	d := &door.Door{Gate: func() *toolvet.Gate { return gate }, Logger: slog.New(slog.DiscardHandler)}
	who := &call.Session{Subject: "eve"}
	session := func(map[string]any) *call.Session { return who }
	list := "[" + strings.Repeat("1,", 1<<19) + "1]"
	read := map[string]func() error{
		"call": func() error {
			_, err := d.Decode(t.Context(), jsonrpc.Envelope{Params: []byte(`{"name":"x","arguments":{"a":` + list + `}}`)}, session, door.Request{}, nil)
			return err
		},
		"request": func() error {
			_, err := d.DecodeRequest(t.Context(), "prompts/get", []byte(`{"name":"x","arguments":{"a":`+list+`}}`), session, door.Request{})
			return err
		},
		"answer": func() error {
			return d.Reply(who, door.Request{ID: "1"}).Answered(t.Context(), []byte(`{"content":{"a":`+list+`}}`), false)
		},
	}
	all, err := budget.Held.Take(t.Context(), who.Principal(), 1<<30, 0) // the whole share
	if err != nil {
		t.Fatal(err)
	}
	defer all.Return()
	for name, f := range read {
		if err := f(); err == nil || !errors.Is(err, budget.ErrFull) && !strings.Contains(err.Error(), budget.ErrFull.Error()) {
			t.Errorf("%s without memory: %v", name, err)
		}
	}
	who = &call.Session{Subject: "ann"}
	if _, err := d.DecodeRequest(t.Context(), "prompts/get", []byte(`{"name":"`+strings.Repeat("x", 1<<20)+`"}`), session, door.Request{}); err != nil {
		t.Errorf("another principal: %v", err)
	}
}
