// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"runtime"
	"testing"

	"github.com/toolvet/toolvet/check"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{
		"0": 0, "0B": 0, "4096": 4096, "1B": 1, "1kB": 1000, "1KB": 1000, "1kib": 1024, "100MB": 100e6, "1.5GiB": 3 << 29,
		"2 TB": 2e12, "1TiB": 1 << 40, "0.0001kB": 1,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1e3", "0x10", "1,5MB", "1 000", "1PB", "1BM", "inf", "NaN", "99999999TB", "1..2", "1MB2"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	for size, want := range map[Size]string{0: "0B", 1: "1B", 1000: "1kB", 1024: "1KiB", 1500: "1500B", 100e6: "100MB", 3 << 29: "1536MiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d: got %s, want %s", int64(size), got, want)
		}
	}
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"100MB", "1.5GiB", "0", "9e9", "1 TiB", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var size, again Size
		if size.UnmarshalText([]byte(text)) != nil {
			return
		}
		if err := again.UnmarshalText([]byte(size.String())); err != nil || again != size || size < 0 {
			t.Errorf("%q is %d, whose text %s is %d, %v", text, size, size, again, err)
		}
	})
}

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
		{&Options{Within: []string{"/b"}}, check.World{}, "y", "/b/y in /b", nil},
		{&Options{}, check.World{Base: "/x", Roots: []string{"/x"}}, "y", "/x/y in /x", nil},
		{&Options{}, check.World{Base: "/x"}, "/y", "/y in ", nil},
		{&Options{}, check.World{}, "\u200e", "", ErrStart},
		{&Options{}, check.World{}, "y", "", ErrStart},
		{&Options{Within: []string{"/b"}}, check.World{}, "/a", "", ErrRefused},
		{&Options{Platform: "windows"}, check.World{}, `C:\x`, "", ErrForeign},
	} {
		place, err := tt.options.Place(tt.world, tt.path)
		got := ""
		if err == nil {
			got = place.Path + " in " + place.Root
		}
		if got != tt.want || err != tt.err {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.path, got, err, tt.want, tt.err)
		}
	}
}
