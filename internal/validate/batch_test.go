// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/validate"
)

func request(tool, arguments string) string {
	return fmt.Sprintf(`{"tool":%q,"arguments":%s}`, tool, arguments)
}

// TestBatchEqualsSingles holds that each call of a batch is judged as it would be alone,
// whatever stands beside it.
func TestBatchEqualsSingles(t *testing.T) {
	t.Parallel()
	items := []string{
		request("read", `{"path":"a"}`),
		request("read", `{"pth":"a","Path":"b"}`),
		request("read", `{"path":"a","path2":1,"n":12345678901234567890123}`),
		`7`, `null`, `[]`, `{}`, `"x"`,
		`{"tool":"read"}`, `{"tool":7,"arguments":{}}`, `{"Tool":"read","arguments":{}}`,
		`{"tool":"read","arguments":{"path":"a"},"levels":["deep"]}`,
		`{"tool":"read","arguments":{"path":"a"},"more":1}`,
		`{"tool":"read","arguments":{"path":"redacted:x"},"levels":["syntax"]}`,
		request("raed", `{}`),
		request("validate", request("read", `{}`)),
		request("validate", `{"tool":7}`),
		request("validate_batch", `{"calls":[1]}`),
		request("validate_batch", `{"calls":[]}`),
		request("read", `{"path":"a","n":1.5}`),
	}
	gate := newGate(t, "")
	batch := newDoor(t, validate.Config{}, gate).batch(items...)
	if len(batch.Results) != len(items) || batch.Valid {
		t.Fatalf("got %+v", batch)
	}
	single := newDoor(t, validate.Config{}, gate)
	var errs []string
	for i, item := range items {
		got := batch.Results[i]
		for _, e := range got.Errors {
			errs = append(errs, fmt.Sprintf("calls/%d: %s", i, e))
		}
		var want result
		arguments, err := call.DecodeArguments([]byte(item), call.Limits{})
		if err != nil || arguments == nil { // which cannot be asked alone
			if got.Valid || len(got.Errors) != 1 || !strings.HasPrefix(got.Errors[0], "must be an object") {
				t.Errorf("%s: got %+v", item, got)
			}
			continue
		}
		a := single.read(single.ask(t.Context(), "validate", item))
		if a.IsError {
			a.Structured, got.Tool = a.Meta["io.github.toolvet/verdict"], "validate"
		}
		if err := json.Unmarshal(a.Structured, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, apart); diff != "" {
			t.Errorf("%s (-alone +in a batch):\n%s", item, diff)
		}
	}
	if diff := cmp.Diff(errs, batch.Errors); diff != "" {
		t.Errorf("the errors of the whole (-want +got):\n%s", diff)
	}
	if valid := single.batch(items[0], items[0]); !valid.Valid || !valid.Results[1].Valid {
		t.Errorf("good calls: %+v", valid)
	}
}

func TestBatchBounds(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{MaxBatch: 3}, newGate(t, ""))
	one := request("read", `{"path":"a"}`)
	if r := d.batch(one, one, one); len(r.Results) != 3 {
		t.Errorf("got %+v", r)
	}
	for arguments, want := range map[string]string{
		`{}`:                         "/calls",
		`{"calls":[]}`:               "/calls",
		`{"calls":{}}`:               "/calls",
		`{"calls":[1,2,3,4]}`:        "/calls",
		`{"calls":[1],"levels":[1]}`: "/levels",
		`{"Calls":[1]}`:              "/Calls",
	} {
		if text := d.refused("validate_batch", arguments); !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
	// Also where a policy does not look at the schema.
	d.request.Gate = newGate(t, "checks: {input-schema: {mode: observe}}\n")
	if text := d.refused("validate_batch", `{"calls":[1,2,3,4]}`); !strings.Contains(text, "more calls than are allowed") {
		t.Errorf("got %s", text)
	}
	without := newValidator(t, validate.Config{MaxBatch: -1})
	if without.Answers("validate_batch", "validate") || len(without.Definitions("validate")) != 1 {
		t.Error("there are batches, and none are wanted")
	}
	if c := without.Capability("validate", validate.Door{}); c.BatchValidation || c.MaxBatchSize != 0 {
		t.Errorf("announced: %+v", c)
	}
}

// Each call of a batch spends the limit of the validate tool, the first ones first; the batch
// itself spends nothing, not even where one call may run at a time.
func TestBatchSpendsLimits(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{}, newGate(t, "limits: [{name: some, rate: 3/h}, {name: one, concurrency: 1}]\n"))
	one := request("read", `{"path":"a"}`)
	r := d.batch(one, one, `7`, one, one, one)
	var got []string
	for _, r := range r.Results {
		switch {
		case r.Valid:
			got = append(got, "valid")
		case len(r.Findings) > 0:
			got = append(got, r.Findings[0].Code)
		}
	}
	if diff := cmp.Diff([]string{"valid", "valid", "SCHEMA", "valid", "RATE_LIMIT", "RATE_LIMIT"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%+v", diff, r)
	}
}

// A call that hangs takes no more than its share, and the batch ends in its time.
func TestBatchTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newGate(t, "", toolvet.WithTimeout(time.Minute), custom("slow", check.RuntimeLevel, func(ctx context.Context, pass *check.Pass) error {
			if pass.Call.Arguments["path"] == "slow" {
				<-ctx.Done()
			}
			return ctx.Err()
		}))
		d := newDoor(t, validate.Config{}, gate)
		var items []string
		for i := range 40 {
			path := "slow"
			if i >= 38 {
				path = "fast"
			}
			items = append(items, request("read", fmt.Sprintf(`{"path":%q,"n":%d}`, path, i)))
		}
		began := time.Now()
		r := d.batch(items...)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the batch took %v", took)
		}
		for i, r := range r.Results {
			if fast := i >= 38; r.Valid != true || (len(r.Warnings) == 0) != fast || (len(r.Skipped) == 0) != fast {
				t.Errorf("calls/%d: %+v", i, r)
			}
		}
		// A caller that goes away ends it at once.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		d.ask(ctx, "validate_batch", `{"calls":[`+strings.Join(items, ",")+`]}`)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("a batch that nobody waits for took %v", took)
		}
	})
}

// The server's own validation is asked of each call, and can be used or not.
func TestBatchAsksNative(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{}, newGate(t, ""))
	var asked atomic.Int64
	d.request.Native = func(_ context.Context, _ *call.Call, arguments json.RawMessage) (json.RawMessage, error) {
		asked.Add(1)
		switch {
		case strings.Contains(string(arguments), `"refused"`):
			return json.RawMessage(`{"content":[],"structuredContent":{"valid":false,"errors":["no such file"],"warnings":[],"suggestions":[]}}`), nil
		case strings.Contains(string(arguments), `"away"`):
			return nil, errors.New("it does not answer")
		}
		return json.RawMessage(`{"content":[],"structuredContent":{"valid":true,"errors":[],"warnings":[],"suggestions":[]}}`), nil
	}
	r := d.batch(request("read", `{"path":"fine"}`), request("read", `{"path":"refused"}`), request("read", `{"path":"away"}`), `7`)
	var got []string
	for _, r := range r.Results {
		got = append(got, fmt.Sprintf("%t %s %d", r.Valid, r.Method, len(r.Warnings)))
	}
	want := []string{"true toolvet+native 0", "false toolvet+native 0", "true toolvet 1", "false toolvet 0"}
	if diff := cmp.Diff(want, got); diff != "" || asked.Load() != 3 || r.Method != "toolvet+native" {
		t.Errorf("asked %d times, %s (-want +got):\n%s", asked.Load(), r.Method, diff)
	}
}

func FuzzBatch(f *testing.F) {
	for _, seed := range []string{
		`7`, `{"tool":"read","arguments":{"path":"a"}}`, `{"tool":"read","arguments":{"path":"a"},"levels":["runtime"]}`,
		`{"tool":"validate_batch","arguments":{"calls":[{}]}}`, `{"arguments":{},"tool":"\u0061"}`, `[[]]`, `{"tool":null,"arguments":[]}`,
	} {
		f.Add(seed)
	}
	d := newDoor(f, validate.Config{}, newGate(f, ""))
	f.Fuzz(func(t *testing.T, item string) {
		good := request("read", `{"path":"a"}`)
		arguments := `{"calls":[` + good + `,` + item + `,` + good + `]}`
		if _, err := call.DecodeArguments([]byte(arguments), call.Limits{}); err != nil {
			return // a message that is no JSON
		}
		d := *d
		d.t = t
		a := d.read(d.ask(t.Context(), "validate_batch", arguments))
		var r result
		if err := json.Unmarshal(a.Structured, &r); err != nil || a.IsError {
			return // more members, or more calls than are allowed
		}
		if n := len(r.Results); n < 3 || !r.Results[0].Valid || !r.Results[n-1].Valid {
			t.Fatalf("%s spoils what stands beside it: %+v", item, r)
		}
	})
}
