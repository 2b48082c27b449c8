// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
)

func fake(path string) (int64, error) {
	switch path {
	case "/none":
		return 0, fs.ErrNotExist
	case "/other":
		return 0, errors.ErrUnsupported
	}
	return 1000, nil
}

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, New(fake, nil), "testdata")
}

func TestRealDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := free(dir); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("not known on this system")
	}
	if got := checktest.Judge(t, Check, "disk: {min_free: 1B, path: "+dir+"}", nil); got != "ok\n" {
		t.Errorf("got %q, want nothing", got)
	}
	if got := checktest.Judge(t, Check, "disk: {min_free: 1000000TB, path: "+dir+"}", nil); !strings.HasPrefix(got, "error: needs 1000000TB") {
		t.Errorf("got %q: is an exabyte free?", got)
	}
}

// TestStall holds that a silent file system is abandoned, and that many calls do not ask it many
// times.
func TestStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		release := make(chan struct{})
		c := New(func(string) (int64, error) { asked.Add(1); <-release; return 0, nil }, nil)
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			run := new(check.Run).Init(c, &call.Call{}, nil)
			run.Targets = []check.Target{{Options: &Options{Path: "/a", MinFree: 1}}}
			if err := run.Do(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want a deadline", err)
			}
			cancel()
		}
		if got := asked.Load(); got != 1 {
			t.Errorf("asked %d times, want 1", got)
		}
		close(release)
	})
}
