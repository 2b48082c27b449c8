// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
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

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, New(fake, nil), &Options{Path: "/srv/backup", MinFree: 1e12}, map[string]any{})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := New(fake, nil)
	small := []string{"error runtime: needs 1001B of free space, and the file system has less", "→ make room, and call again"}
	for name, tt := range map[string]struct {
		options *Options
		world   check.World
		want    []string
	}{
		"enough":    {&Options{Path: "/a", MinFree: 1000}, check.World{}, nil},
		"too small": {&Options{Path: "/a", MinFree: 1001}, check.World{}, small},
		"base":      {&Options{MinFree: 1001}, check.World{Base: "/a"}, small},
		"root":      {&Options{MinFree: 1001}, check.World{Roots: []string{"/a"}}, small},
		"where":     {&Options{MinFree: 1}, check.World{}, []string{"skip: not looked: it is not known where the server works: name a path in the policy"}},
		"missing":   {&Options{Path: "/none", MinFree: 1}, check.World{}, []string{"error runtime: needs free space in a directory that does not exist"}},
		"unknown":   {&Options{Path: "/other", MinFree: 1}, check.World{}, []string{"skip: not looked: this system does not tell its free space"}},
		"remote":    {&Options{Path: "/a", MinFree: 1001}, check.World{Remote: true}, []string{"skip: not looked: the server's disks are not on this machine"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, find(t, c, tt.world, tt.options, map[string]any{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRealDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := free(dir); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("not known on this system")
	}
	if got := find(t, Check, check.World{}, &Options{Path: dir, MinFree: 1}, nil); got != nil {
		t.Errorf("got %q, want nothing", got)
	}
	if got := find(t, Check, check.World{}, &Options{Path: dir, MinFree: 1 << 60}, nil); len(got) == 0 {
		t.Error("an exabyte is free")
	}
}

// TestStall holds that a file system that does not answer is left behind, and that many
// calls do not ask it many times.
func TestStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		release := make(chan struct{})
		c := New(func(string) (int64, error) { asked.Add(1); <-release; return 0, nil }, nil)
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			pass := check.NewPass(c, &call.Call{}, nil)
			pass.Targets = []check.Target{{Options: &Options{Path: "/a", MinFree: 1}}}
			if err := c.Run(ctx, pass); !errors.Is(err, context.DeadlineExceeded) {
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

func TestProblems(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range (&Options{Path: "a"}).Problems() {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"path", "min_free"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	o := Rule.Options().(*Options)
	if err := o.MinFree.UnmarshalText([]byte("1GB")); err != nil || len(o.Problems()) > 0 {
		t.Errorf("got %v and %v, want none", err, o.Problems())
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1GB": "1GB", "1024": "1KiB", "0.5 MB": "500kB", "2tib": "2TiB", "0": "0B"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s.String() != want {
			t.Errorf("%q: got %v and %v, want %s", text, s, err, want)
		}
	}
	for _, text := range []string{"", "GB", "1XB", "-1GB", "1e3", "99999999TB", "NaN"} {
		if err := new(Size).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a size", text)
		}
	}
}
