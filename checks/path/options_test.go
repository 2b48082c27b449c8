// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"runtime"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths of this test are those of other systems")
	}
	for _, tt := range []struct {
		options *Options
		world   check.World
		path    string
		want    string // path, and the root
		err     error
	}{
		{&Options{Within: []string{"/", "/a/../b/", "/b/c/d"}}, check.World{}, "/b/c/../x", "/b/c/../x in /b", nil},
		{&Options{Within: []string{"/"}}, check.World{Base: "/x"}, "y", "/x/y in /", nil},
		{&Options{Within: []string{"/b"}}, check.World{Base: "/x"}, "../b/y", "/x/../b/y in /b", nil},
		{&Options{Within: []string{"/b"}}, check.World{}, "y", "", leads.ErrRefused},
		{&Options{}, check.World{Base: "/x", Roots: []string{"/x"}}, "y", "/x/y in /x", nil},
		{&Options{}, check.World{Base: "/x"}, "/y", "/y in ", nil},
		{&Options{}, check.World{}, "\u200e", "", errStart},
		{&Options{}, check.World{}, "y", "", errStart},
		{&Options{Within: []string{"/b"}}, check.World{}, "/a", "", leads.ErrRefused},
		{&Options{Platform: "windows"}, check.World{}, `C:\x`, "", errForeign},
	} {
		place, err := tt.options.placeOf(tt.world, tt.path)
		got := ""
		if err == nil {
			got = place.Path + " in " + place.Root
		}
		if got != tt.want || err != tt.err {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.path, got, err, tt.want, tt.err)
		}
	}
}
