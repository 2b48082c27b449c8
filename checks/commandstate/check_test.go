// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package commandstate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/command"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.RunWith(t, func(work string) *check.Check {
		path := "bin" + string(filepath.ListSeparator) + filepath.Join(work, "bin")
		return newCheck(func() string { return path }, os.Stat)
	}, "testdata")
}

// TestStall holds that a silent file system holds nothing up.
func TestStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stall := func(string) (os.FileInfo, error) { <-release; return nil, os.ErrNotExist }
		c := newCheck(func() string { return "/bin" }, stall)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		for range 2 * maxLooks { // more than there are slots
			run := new(check.Run).Init(c, &call.Call{}, nil)
			run.Targets = []check.Target{{Value: "ls", Options: new(command.Options)}}
			if err := run.Do(ctx); err != nil {
				t.Fatal(err)
			}
			if skip := run.Skip; skip == nil || !strings.Contains(skip.Why, "did not answer in time") {
				t.Errorf("got %v", skip)
			}
		}
		if got := time.Since(start); got > time.Second {
			t.Errorf("it took %v, want the budget of a second", got)
		}
		close(release)
		synctest.Wait()
	})
}

// TestAsked holds that "exists: false" asks nothing of the check, and all else does.
func TestAsked(t *testing.T) {
	t.Parallel()
	c := newCheck(nil, nil)
	for _, o := range []struct {
		options any
		want    bool
	}{{nil, true}, {new(command.Options), true}, {&command.Options{Exists: new(true)}, true}, {&command.Options{Exists: new(false)}, false}} {
		if got := c.Asked(o.options); got != o.want {
			t.Errorf("%+v: asked %t", o.options, got)
		}
	}
}
