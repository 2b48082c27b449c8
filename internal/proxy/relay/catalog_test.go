// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/machine/budget"
)

// TestListsMemory holds that lists of tools take loans for the memory that they keep, while a client
// lists page by page, too, and that a list without room is not kept.
func TestListsMemory(t *testing.T) { // not parallel: the budget is the process's
	awaitNoLists(t) // of the tests before
	page := func(n int, next string, size int) *door.ToolsPage {
		return &door.ToolsPage{Tools: []*call.Tool{{Name: fmt.Sprint("t", n)}}, Next: next, Bytes: size}
	}
	for range 100 { // lists of other tests
		if budget.Lists.Taken() == 0 {
			break
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	c := &catalog{owner: "server s"}
	c.learnPage(page(1, "a", 1<<20), pageSum(1), "", 0)
	c.learnPage(page(2, "b", 1<<20), pageSum(2), "a", 0)
	if got := budget.Lists.Taken(); got != 2<<20 {
		t.Errorf("two pages take %d bytes", got)
	}
	if tools := c.learnPage(page(3, "", 1<<20), pageSum(3), "b", 0); tools.Tool("t1") == nil || c.current() == nil || budget.Lists.Taken() != 3<<20 {
		t.Errorf("the list takes %d bytes", budget.Lists.Taken())
	}
	// A list that never ends.
	for i, cursor := 0, ""; i < 100; i++ {
		next := fmt.Sprint("c", i)
		c.learnPage(page(i, next, 2<<20), pageSum(i), cursor, 0)
		cursor = next
	}
	if c.begun != nil || budget.Lists.Taken() != 3<<20 {
		t.Errorf("a list without an end takes %d bytes", budget.Lists.Taken())
	}
	// The lists of many sessions.
	many := make([]*catalog, 20)
	kept := 0
	for i := range many {
		many[i] = &catalog{owner: "server s"}
		many[i].learn(call.NewCatalog([]*call.Tool{{Name: "t"}}), 20<<20, 0, 0)
		if many[i].current() != nil {
			kept++
		}
	}
	small := &catalog{owner: "server t"}
	small.learn(call.NewCatalog(nil), 100<<10, 0, 0)
	if kept != 3 || small.current() == nil {
		t.Errorf("%d lists are kept, small: %v", kept, small.current())
	}
	runtime.KeepAlive(many)
	runtime.KeepAlive(c)
	c, many, small = nil, nil, nil
	awaitNoLists(t)
}

// awaitNoLists waits until nobody keeps lists. A loan for one ends when its memory is collected.
func awaitNoLists(t *testing.T) {
	t.Helper()
	for range 100 {
		runtime.GC()
		if budget.Lists.Taken() == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%d bytes are never given back", budget.Lists.Taken())
}
