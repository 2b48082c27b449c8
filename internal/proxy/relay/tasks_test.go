// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// TestTaskCalls holds that the calls of tasks are remembered as long as somebody asks for
// them, and that there is room for new ones.
func TestTaskCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var tasks taskCalls
		learn := func(id string) *call.Call {
			c := new(call.Call)
			tasks.learn(c, splice.New(fmt.Appendf(nil, `{"t\u0061sk":{"taskId":%q}}`, id), call.Limits{}))
			return c
		}
		first, second := learn("1"), learn("2")
		time.Sleep(taskLife - time.Minute)
		if tasks.of("1") != first {
			t.Error("forgotten")
		}
		time.Sleep(2 * time.Minute)
		if tasks.of("1") != first || tasks.of("2") != nil || second == first {
			t.Error("what is asked for is kept, and nothing else")
		}
		for i := range maxTasks {
			time.Sleep(time.Nanosecond)
			learn(fmt.Sprint("many ", i))
		}
		if tasks.of("1") != nil || tasks.of("many 0") == nil || len(tasks.byID) != maxTasks {
			t.Errorf("%d tasks are remembered", len(tasks.byID))
		}
		for _, result := range []string{`{"task":{}}`, `{"task":"1"}`, `{"taskId":"new"}`, `{"resultType":"complete","taskId":"new"}`, `[{"task":{"taskId":"new"}}]`, `{"task":`} {
			if tasks.learn(first, splice.New([]byte(result), call.Limits{})); tasks.of("new") != nil || tasks.of("") != nil {
				t.Errorf("%s is a task", result)
			}
		}
	})
}
