// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// knowsTasks is the _meta of a client that declares tasks.
const knowsTasks = `{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

func metaOf(t testing.TB, text string) map[string]any {
	t.Helper()
	meta, err := call.DecodeArguments([]byte(text), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

// newSlowDoor is a door at which a dry run takes as long as the argument "n" says, in
// seconds, to a client that knows tasks.
func newSlowDoor(t *testing.T) *door {
	gate := newGate(t, "", toolvet.WithTimeout(time.Minute), custom("slow", check.SemanticLevel, func(ctx context.Context, pass *check.Pass) error {
		n, _ := pass.Call.Arguments["n"].(json.Number)
		seconds, _ := n.Int64()
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-ctx.Done():
		}
		return ctx.Err()
	}))
	d := newDoor(t, validate.Config{}, gate)
	d.request.Tasks = true
	d.request.Call.Meta = metaOf(t, knowsTasks)
	return d
}

func seconds(n int) string { return request("read", fmt.Sprintf(`{"path":"a","n":%d}`, n)) }

// A taskAnswer is what a client reads of a task.
type taskAnswer struct {
	ResultType, TaskID, Status string
	CreatedAt, LastUpdatedAt   time.Time
	TTLMS, PollIntervalMS      int64
	Result                     json.RawMessage
}

func (d *door) task(method, id string) (taskAnswer, *validate.TaskError) {
	d.t.Helper()
	params := json.RawMessage(fmt.Sprintf(`{"taskId":%q,"_meta":%s}`, id, knowsTasks))
	if !d.v.OwnsTask(method, params) {
		d.t.Fatalf("%s of %s is not the validator's", method, id)
	}
	raw, e := d.v.Task(method, params, d.request.Call.Session)
	var a taskAnswer
	if e == nil {
		a = readTask(d.t, raw)
	}
	return a, e
}

func readTask(t testing.TB, raw json.RawMessage) taskAnswer {
	t.Helper()
	var a taskAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return a
}

func TestTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSlowDoor(t)
		began := time.Now()
		created := readTask(t, d.ask(t.Context(), "validate", seconds(10)))
		if created.ResultType != "task" || created.Status != "working" || time.Since(began) != time.Second || created.TTLMS != 300_000 ||
			created.PollIntervalMS <= 0 || !created.CreatedAt.Equal(time.Now()) || len(created.TaskID) < 20 || created.Result != nil {
			t.Fatalf("after %v: %+v", time.Since(began), created)
		}
		if a, e := d.task("tasks/get", created.TaskID); e != nil || a.ResultType != "complete" || a.Status != "working" || a.Result != nil {
			t.Errorf("while it runs: %+v, %v", a, e)
		}
		if a, e := d.task("tasks/update", created.TaskID); e != nil || a.ResultType != "complete" {
			t.Errorf("an update: %+v, %v", a, e)
		}
		time.Sleep(9 * time.Second)
		synctest.Wait()
		a, e := d.task("tasks/get", created.TaskID)
		if e != nil || a.Status != "completed" || a.LastUpdatedAt.Before(a.CreatedAt.Add(9*time.Second)) {
			t.Fatalf("when it is done: %+v, %v", a, e)
		}
		if r := d.success(a.Result, protocol.ResultSchema); !r.Valid || r.Tool != "read" {
			t.Errorf("its result: %+v", r)
		}
		// A client that fetches late finds it, and one that fetches too late does not.
		time.Sleep(4 * time.Minute)
		if a, e := d.task("tasks/get", created.TaskID); e != nil || a.Result == nil {
			t.Errorf("minutes later: %+v, %v", a, e)
		}
		time.Sleep(time.Minute)
		if a, e := d.task("tasks/get", created.TaskID); e == nil || e.Code != -32602 {
			t.Errorf("after its life: %+v, %v", a, e)
		}
	})
}

func TestTaskIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSlowDoor(t)
		created := readTask(t, d.ask(t.Context(), "validate", seconds(30)))
		if _, e := d.task("tasks/cancel", created.TaskID); e != nil {
			t.Fatal(e)
		}
		synctest.Wait() // nothing may be left that runs for 30 s
		for range 2 {
			if a, e := d.task("tasks/get", created.TaskID); e != nil || a.Status != "cancelled" || a.Result != nil {
				t.Errorf("got %+v, %v", a, e)
			}
			if _, e := d.task("tasks/cancel", created.TaskID); e != nil { // again
				t.Error(e)
			}
		}
		other := readTask(t, d.ask(t.Context(), "validate", seconds(30)))
		d.v.Close()
		if _, e := d.task("tasks/get", other.TaskID); e == nil {
			t.Error("a task outlives its validator")
		}
		// From now on there are no tasks, and answers.
		if r := d.success(d.ask(t.Context(), "validate", seconds(2)), protocol.ResultSchema); !r.Valid {
			t.Errorf("got %+v", r)
		}
	})
}

// Without need, or for those who do not know them, there are no tasks.
func TestNoTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, change := range map[string]func(d *door) int{
			"soon done":    func(*door) int { return 0 },
			"not declared": func(d *door) int { d.request.Call.Meta = nil; return 5 },
			"no object": func(d *door) int {
				d.request.Call.Meta = metaOf(t, strings.Replace(knowsTasks, "{}", "true", 1))
				return 5
			},
			"an older revision":   func(d *door) int { d.request.Modern = false; return 5 },
			"a door without them": func(d *door) int { d.request.Tasks = false; return 5 },
		} {
			d := newSlowDoor(t)
			a := d.read(d.ask(t.Context(), "validate", seconds(change(d))))
			if a.ResultType == "task" || a.Structured == nil {
				t.Errorf("%s: got %+v", name, a)
			}
		}
		// Whoever cancels the request before there is a task ends the work.
		d := newSlowDoor(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if a := d.ask(ctx, "validate", seconds(30)); a != nil {
			t.Errorf("got %s", a)
		}
		// When there is no room for more, an answer takes as long as it takes.
		for range 256 {
			go d.ask(t.Context(), "validate", seconds(30))
		}
		time.Sleep(2 * time.Second)
		if a := d.read(d.ask(t.Context(), "validate", seconds(5))); a.ResultType != "complete" {
			t.Errorf("the task after 256: %+v", a)
		}
		d.v.Close()
	})
}

func TestTaskBelongsToItsOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSlowDoor(t)
		created := readTask(t, d.ask(t.Context(), "validate", seconds(30)))
		params := func(id, meta string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"taskId":%q,"_meta":%s}`, id, meta))
		}
		for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
			for name, s := range map[string]*call.Session{
				"another subject": {Subject: "bob"}, "nobody": nil, "the same name elsewhere": {Subject: "ann", Claims: map[string]any{"iss": "x"}},
			} {
				if _, e := d.v.Task(method, params(created.TaskID, knowsTasks), s); e == nil || e.Code != -32602 {
					t.Errorf("%s by %s: %v", method, name, e)
				}
			}
			if _, e := d.v.Task(method, params(created.TaskID, `{}`), d.request.Call.Session); e == nil || e.Code != -32021 || !strings.Contains(string(e.Data), "io.modelcontextprotocol/tasks") {
				t.Errorf("%s by a client that does not declare tasks: %+v", method, e)
			}
			unknown := created.TaskID[:len(created.TaskID)-1]
			if _, e := d.v.Task(method, params(unknown, knowsTasks), d.request.Call.Session); e == nil || e.Code != -32602 {
				t.Errorf("%s of no task: %v", method, e)
			}
		}
		if a, e := d.task("tasks/get", created.TaskID); e != nil || a.Status != "working" {
			t.Errorf("its owner finds %+v, %v", a, e)
		}
		for method, params := range map[string]string{
			"tasks/get": `{"taskId":"786512e2-9e0d-44bd-8f29-789f320fe840"}`, "tasks/cancel": `{}`, "tasks/update": `[]`,
			"tasks/list": string(params(created.TaskID, "{}")), "tools/list": string(params(created.TaskID, "{}")),
		} {
			if d.v.OwnsTask(method, json.RawMessage(params)) {
				t.Errorf("%s %s is taken from the server", method, params)
			}
		}
		large := params(created.TaskID, `{"x":"`+strings.Repeat("a", 64<<10)+`"}`)
		if d.v.OwnsTask("tasks/get", large) {
			t.Error("large params are read without memory that is lent for them")
		}
		d.v.Close()
	})
}
