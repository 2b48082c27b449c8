// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// The beginnings of messages.
const (
	fine     = ""
	outside  = "leads out of the allowed directories"
	relative = "is relative, and the directory in which the server opens such paths is not known"
)

// judged runs the paths of a table, and compares the beginnings of messages.
func judged(t *testing.T, o *Options, world check.World, paths map[string]string) {
	t.Helper()
	for path, want := range paths {
		got := ""
		if faults := o.judge(world, path); len(faults) > 0 {
			got = faults[0].Message
		}
		if want == fine && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

// TestUnusableRoots holds that directories that a policy cannot give, but a client can, let
// nothing through.
func TestUnusableRoots(t *testing.T) {
	t.Parallel()
	for _, world := range []check.World{
		{Roots: []string{"srv/data"}, Base: "/srv"},
		{Roots: []string{""}, Base: "/"},
	} {
		o := &Options{Platform: "posix"}
		judged(t, o, world, map[string]string{"x": outside, "/srv/data/x": outside, "srv/data/x": outside, "/": outside})
	}
}

// TestLength counts allocations, so it is not parallel.
func TestLength(t *testing.T) {
	for _, tt := range []struct {
		platform string
		limit    int
	}{{"posix", 4096}, {"windows", 32767}} {
		o := &Options{Platform: tt.platform}
		long := strings.Repeat("d/", tt.limit)[:tt.limit]
		judged(t, o, check.World{}, map[string]string{long: fine, long + "d": "must not be longer than"})
	}
	huge := strings.Repeat("%2e%2e/", 150_000)
	o := &Options{Platform: "posix"}
	if got := testing.AllocsPerRun(5, func() { o.judge(check.World{}, huge) }); got > 10 {
		t.Errorf("a path of 1 MB costs %v allocations", got)
	}
}

// TestManyRoots holds that any number of roots is compiled once. It counts allocations, so it is
// not parallel.
func TestManyRoots(t *testing.T) {
	var roots []string
	for i := range 10_000 {
		roots = append(roots, fmt.Sprintf("/srv/r%d/data", i))
	}
	world := check.World{Roots: roots}
	o := new(Options)
	judged(t, o, world, map[string]string{
		"/srv/r9999/data/x": fine,
		"/srv/r0/data":      fine,
		"x":                 relative,
		"/srv/r10000/data":  outside,
		"/srv/r1/dat":       outside,
	})
	if got := testing.AllocsPerRun(10, func() { o.judge(world, "/srv/r777/data/x") }); got > 10 {
		t.Errorf("a path costs %v allocations: are the roots compiled again?", got)
	}
	other := check.World{Roots: slices.Clone(roots)}
	other.Roots[1] = "/srv/r1/dat"
	judged(t, o, other, map[string]string{"/srv/r1/dat": fine, "/srv/r1/data": outside})
}

func TestPlatform(t *testing.T) {
	t.Parallel()
	remote := check.World{Remote: true}
	for _, tt := range []struct {
		options *Options
		world   check.World
		want    platform
	}{
		{&Options{Platform: "windows"}, check.World{Base: "/x"}, windows},
		{&Options{Platform: "posix"}, check.World{Base: `C:\x`}, posix},
		{&Options{Within: []string{`C:\x`}}, check.World{Base: "/x"}, windows},
		{&Options{}, check.World{Roots: []string{"/x"}}, posix},
		{&Options{}, check.World{Base: `\\h\s\x`}, windows},
		{&Options{Platform: "auto"}, remote, auto},
	} {
		if got := tt.options.confinesFor(tt.world).platform; got != tt.want {
			t.Errorf("%+v in %+v: got %v, want %v", tt.options, tt.world, got, tt.want)
		}
	}
}
