// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestDemands(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	within := []string{"/srv/.data"}
	for name, tt := range map[string]struct {
		options *Options
		paths   map[string]string
	}{
		"hidden": {&Options{Within: within, Hidden: &no}, map[string]string{
			"/srv/.data/a":    fine,
			"a/..":            fine,
			"a.b":             fine,
			".env":            "must not name a hidden file",
			"a/.git/config":   "must not name a hidden file",
			`a\.git`:          "must not name a hidden file",
			"a/%2eenv":        "must not name a hidden file",
			"/srv/.data/.a/b": "must not name a hidden file",
		}},
		"hidden without roots": {&Options{Platform: "posix", Hidden: &no, Base: "/home/.u"}, map[string]string{
			"a":         fine,
			".env":      "must not name a hidden file",
			"/home/.u/": "must not name a hidden file",
		}},
		"hidden allowed": {&Options{Platform: "posix", Hidden: &yes}, map[string]string{".env": fine}},
		"name only": {&Options{Platform: "posix", NameOnly: true}, map[string]string{
			"a.txt": fine,
			".a":    fine,
			"...":   fine,
			"":      "must be the name of a file alone",
			".":     "must be the name of a file alone",
			"..":    "must be the name of a file alone",
			"a/b":   "must be the name of a file alone",
			`a\b`:   "must be the name of a file alone",
			"a%2fb": "must be the name of a file alone",
			"/a":    "must be the name of a file alone",
			"a／b":   "must be the name of a file alone",
		}},
		"absolute": {&Options{Platform: "posix", Absolute: &yes}, map[string]string{"/a": fine, "a": "must be an absolute path"}},
		"relative": {&Options{Platform: "posix", Absolute: &no}, map[string]string{"a": fine, "/a": "must be a relative path"}},
		"extensions": {&Options{Platform: "posix", Extensions: []string{".csv", "tar.gz"}}, map[string]string{
			"a.csv":        fine,
			"a/B.CSV":      fine,
			"a.tar.gz":     fine,
			"a.gz":         "must be the name of a file that ends with",
			"csv":          "must be the name of a file that ends with",
			".csv":         "must be the name of a file that ends with",
			"a.csv.exe":    "must be the name of a file that ends with",
			"a.csv/b":      "must be the name of a file that ends with",
			"a.exe%2f.csv": "must be the name of a file that ends with",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judged(t, tt.options, check.World{}, tt.paths)
		})
	}
	both := &Options{Platform: "posix", NameOnly: true, Extensions: []string{".csv"}}
	if got := len(both.judge(check.World{}, "a/b")); got != 2 {
		t.Errorf("%d faults, want one for each demand", got)
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

// TestManyRoots holds that roots are compiled once, whatever their number. It counts
// allocations, so it is not parallel.
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
		"x":                 fine,
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

func TestMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options *Options
		path    string
		want    fault
	}{
		{&Options{Within: []string{"/a"}}, "/x", fault{message: outside + ": allowed is /a"}},
		{&Options{Within: []string{"/a", "/b"}}, "/x", fault{message: outside + ": allowed are /a and /b"}},
		{&Options{Within: []string{"/a", "/b", "/c", "/d", "/e"}}, "/x", fault{message: outside + ": allowed are /a, /b, /c and 2 more"}},
		{&Options{Within: []string{"a"}}, "x", fault{message: outside + ": none of the allowed directories can be used", mend: "give an absolute path: where relative ones start is not known"}},
		{&Options{Within: []string{"/a"}, Base: "/b"}, "x", fault{message: outside + ": allowed is /a", mend: "give an absolute path: relative ones start in /b"}},
		{&Options{Within: []string{"/a"}}, "..%2fx", fault{message: outside + " once it is decoded: allowed is /a"}},
		{&Options{Within: []string{"/a"}}, "..%252fx", fault{message: outside + " once it is decoded 2 times: allowed is /a"}},
		{&Options{Within: []string{"/a"}}, `..\x`, fault{message: outside + " where a backslash separates directories: allowed is /a"}},
		{&Options{Within: []string{"/a"}}, "x/${Y}/../..", fault{message: outside + " once the variables in it are expanded: allowed is /a"}},
		{&Options{Base: "/b"}, "../x", fault{message: above + ": /b"}},
		{&Options{Platform: "posix"}, "\u200ephoto.jpg", fault{severity: check.Warning, message: "holds an invisible character; people see another path than programs do"}},
	} {
		got := tt.options.judge(check.World{}, tt.path)
		if diff := cmp.Diff([]fault{tt.want}, got, cmp.AllowUnexported(fault{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.path, diff)
		}
	}
}
