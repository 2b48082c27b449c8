// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// follow has a door tell progress, and returns what was told.
func (d *door) follow() *[]protocol.Progress {
	told := new([]protocol.Progress)
	d.request.Progress = func(p protocol.Progress) { *told = append(*told, p) }
	return told
}

// rising fails the test unless progress increases up to its total.
func rising(t testing.TB, told []protocol.Progress) {
	t.Helper()
	for i, p := range told {
		if p.Total != told[0].Total || p.Progress < 1 || p.Progress > p.Total || i > 0 && p.Progress <= told[i-1].Progress {
			t.Errorf("progress %d of %d: %+v", i, len(told), told)
		}
	}
}

func TestProgressOfChecks(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{TTL: -1}, newGate(t, "", custom("meaning", check.SemanticLevel, says("means nothing")), custom("world", check.RuntimeLevel, says("is not there"))))
	told := d.follow()
	d.validate(`{"path":"a"}`)
	rising(t, *told)
	names := fmt.Sprint(*told)
	for _, name := range []string{"input-schema", "meaning", "world"} {
		if !strings.Contains(names, name) {
			t.Errorf("nothing is told of %q: %s", name, names)
		}
	}
	all := (*told)[0].Total
	if n := len(*told); n != all {
		t.Errorf("%d of %d checks are told of", n, all)
	}
	*told = nil
	d.validate(`{"path":"a"}`, `,"levels":["runtime"]`)
	if rising(t, *told); (*told)[0].Total >= all || strings.Contains(fmt.Sprint(*told), "meaning") {
		t.Errorf("of some levels: %+v", *told)
	}
	*told = nil
	d.refused("validate", `{"arguments":{}}`)
	if len(*told) > 0 {
		t.Errorf("of what is refused: %+v", *told)
	}
}

func TestProgressOfBatch(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{}, newGate(t, ""))
	told := d.follow()
	one := request("read", `{"path":"a"}`)
	d.batch(one, `7`, one, one)
	if rising(t, *told); len(*told) != 4 || (*told)[3].Progress != 4 || !strings.HasPrefix((*told)[0].Message, "calls/") {
		t.Errorf("got %+v", *told)
	}
	*told = nil
	items := make([]string, 100)
	for i := range items {
		items[i] = one
	}
	d.batch(items...)
	if rising(t, *told); len(*told) > 50 || (*told)[len(*told)-1].Progress != 100 {
		t.Errorf("%d notifications at once: %+v", len(*told), *told)
	}
}

// After the answer, or the task that stands for it, nothing is told.
func TestProgressEndsWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSlowDoor(t)
		told := d.follow()
		created := readTask(t, d.ask(t.Context(), "validate", seconds(10)))
		before := len(*told)
		if created.ResultType != "task" || before == 0 {
			t.Fatalf("got %+v after %+v", created, *told)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if len(*told) != before {
			t.Errorf("told while a task runs: %+v", (*told)[before:])
		}
		// A check that is late is not told of any more.
		d = newDoor(t, validate.Config{}, newGate(t, "", toolvet.WithTimeout(time.Second), custom("late", check.RuntimeLevel, func(_ context.Context, pass *check.Pass) error {
			if !pass.Call.Validation {
				time.Sleep(3 * time.Second)
			}
			return nil
		})))
		told = d.follow()
		d.validate(`{"path":"a"}`)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if strings.Contains(fmt.Sprint(*told), "late") {
			t.Errorf("told of a check that was left behind: %+v", *told)
		}
	})
}
