// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
)

// run judges values at /path, and returns the findings.
func run(t testing.TB, world check.World, options any, values ...any) []check.Finding {
	t.Helper()
	pass := check.NewPass(path.Check, &call.Call{Name: "read"}, nil)
	pass.World = world
	for _, v := range values {
		pass.Targets = append(pass.Targets, check.Target{Pointer: "/path", Value: v, Options: options})
	}
	if err := path.Check.Run(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	if pass.Skipped() != nil {
		t.Errorf("skipped: %v", pass.Skipped())
	}
	return pass.Findings()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{path.Check}); err != nil {
		t.Error(err)
	}
	fresh, ok := path.Rule.Options().(*path.Options)
	if !ok || len(fresh.Problems()) > 0 {
		t.Fatalf("the rule makes %+v, with the problems %v", fresh, fresh.Problems())
	}
	stamp := check.Finding{Check: "path", Stage: check.Semantic, Level: check.SecurityLevel, Pointer: "/path"}
	noString, outside, name := stamp, stamp, stamp
	noString.Level, noString.Message = check.SyntaxLevel, "must be a string: the path of a file or directory"
	outside.Message, outside.Suggestion = "leads out of the allowed directories: allowed is /srv", "give an absolute path: relative ones start in /"
	name.Level, name.Message = check.SemanticLevel, "must be the name of a file that ends with .csv"
	options := &path.Options{Extensions: []string{".csv"}, Base: "/"}
	got := run(t, check.World{Roots: []string{"/srv"}}, options,
		nil, json.Number("1"), []any{"/srv/x.csv"}, "x.csv", "/srv/x.csv", "/srv/x")
	if diff := cmp.Diff([]check.Finding{noString, noString, noString, outside, name}, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if got := run(t, check.World{}, nil, "a\x00"); len(got) != 1 {
		t.Errorf("without options: %v, want one finding", got)
	}
	pass := check.NewPass(path.Check, &call.Call{Name: "read"}, nil)
	pass.Targets = []check.Target{{Pointer: "/path", Value: "x", Options: "strange"}}
	if err := path.Check.Run(t.Context(), pass); err == nil {
		t.Error("options of another rule are taken for none")
	}
}

// TestReadme holds that the check finds what its documentation shows.
func TestReadme(t *testing.T) {
	t.Parallel()
	options := &path.Options{Within: []string{"/srv/data"}, Extensions: []string{".csv"}}
	for _, value := range []any{"../data2/x.csv", "%2e%2e/x.csv"} {
		for _, f := range run(t, check.World{}, options, value) {
			if line := "\n    " + f.String() + "\n"; !strings.Contains(path.Check.Doc, line) {
				t.Errorf("the README does not show %q", line)
			}
		}
	}
}

// TestValuesStaySecret holds that no message repeats what the caller gave.
func TestValuesStaySecret(t *testing.T) {
	t.Parallel()
	no := false
	options := &path.Options{Within: []string{"/srv"}, Hidden: &no, NameOnly: true, Extensions: []string{".csv"}, Absolute: &no}
	for _, value := range []any{"/s3cret", "s3cret\x00", "%2e%2e/s3cret", "~s3cret", "$S3CRET", "s3cret:/x", `\\s3cret\x`, ".s3cret", "s3cret\u200b", "s3cret/x"} {
		findings := run(t, check.World{}, options, value)
		if len(findings) == 0 {
			t.Errorf("%q: nothing is found", value)
		}
		for _, f := range findings {
			if strings.Contains(strings.ToLower(f.Message+f.Suggestion), "s3cret") {
				t.Errorf("%q: the message repeats it: %s", value, f.Message)
			}
		}
	}
}

// TestConcurrently judges by the same options in different worlds at once.
func TestConcurrently(t *testing.T) {
	t.Parallel()
	options := new(path.Options)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			root := fmt.Sprintf("/srv/%d", i)
			for range 200 {
				if got := run(t, check.World{Roots: []string{root}}, options, root+"/x", "/srv/9"); len(got) != 1 {
					t.Errorf("%s: got %v, want a finding for /srv/9 alone", root, got)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCheck(b *testing.B) {
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprintf("/srv/%d/data", i))
	}
	for name, bm := range map[string]struct {
		path  string
		roots []string
	}{
		"typical":     {"/workspace/src/components/export/link.css", []string{"/workspace"}},
		"relative":    {"src/components/../export/link.css", []string{"/workspace"}},
		"encoded":     {"src/My%20Documents/100%25.txt", []string{"/workspace"}},
		"unicode":     {"данные/отчёт за год.csv", []string{"/workspace"}},
		"10000 roots": {"/srv/7777/data/x", many},
		"4 KB":        {strings.Repeat("%41/", 1024), []string{"/workspace"}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			pass := check.NewPass(path.Check, &call.Call{Name: "read"}, nil)
			pass.World.Roots = bm.roots
			pass.Targets = []check.Target{{Pointer: "/path", Value: bm.path, Options: new(path.Options)}}
			for b.Loop() {
				if err := path.Check.Run(b.Context(), pass); err != nil || len(pass.Findings()) > 0 {
					b.Fatal(err, pass.Findings())
				}
			}
		})
	}
}
