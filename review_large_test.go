// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// outputCheck is a check of results that does as it is told.
func outputCheck(name string, run func(context.Context, *check.Pass) error) *check.Check {
	return &check.Check{Name: name, Doc: "# " + name + "\n\nLooks at a result.\n", Stage: check.Output, Level: check.SecurityLevel, Bounded: bounded.Promised(), Run: run}
}

func textResult(t testing.TB, s string) *result.Result {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := result.Read("tools/call", raw)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLargeResults holds that honest results of 20 MiB pass all checks as they are, but for base64: about once a
// megabyte, random characters look like the name of a key and its value. In synctest a busy machine costs no time.
func TestLargeResults(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	size := race.Less(20<<20, 40)
	for _, kind := range reviewTexts {
		t.Run(kind.name, func(t *testing.T) {
			raw := kind.result(t, size/2)
			synctest.Test(t, func(t *testing.T) {
				g, err := toolvet.New()
				if err != nil {
					t.Fatal(err)
				}
				r, err := result.Read("tools/call", raw)
				if err != nil {
					t.Fatal(err)
				}
				if v := g.Review(t.Context(), &call.Call{Name: "lines", Tool: linesTool}, r); !v.Go || kind.name != "base64" && (string(v.Raw) != string(raw) || len(v.Findings) > 0) {
					t.Errorf("go %v, %v", v.Go, v.Findings)
				}
			})
		})
	}
}

// TestReviewTime holds that a review may take the longer the larger its result is, and no
// longer: a check that hangs, and even does not heed its context, withholds the result.
func TestReviewTime(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]time.Duration{100: 5 * time.Second, 1 << 20: 6 * time.Second, 20 << 20: 25 * time.Second} {
		for _, heeds := range []bool{true, false} {
			if size == 100 && !heeds {
				continue // a bounded check of so little has no goroutine that could be left behind
			}
			r := textResult(t, strings.Repeat("a ", size/2))
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				hang := outputCheck("hang", func(ctx context.Context, _ *check.Pass) error {
					if heeds {
						<-ctx.Done()
						return ctx.Err()
					}
					<-release
					return nil
				})
				g, err := toolvet.New(toolvet.WithChecks(hang))
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				v := g.Review(t.Context(), new(call.Call), r)
				if took := time.Since(began); took < want || took > want+10*time.Millisecond {
					t.Errorf("%d bytes, heeds %v: took %v, want %v", size, heeds, took, want)
				}
				if v.Go || v.Raw != nil || !strings.Contains(v.String(), "did not finish within "+want.String()) {
					t.Errorf("%d bytes, heeds %v: go %v, %v", size, heeds, v.Go, v)
				}
			})
		}
	}
}

// TestReviewKeepsNoBuffer holds that a check which is left behind does not read what its caller
// writes into the buffer of the next message. The race detector sees it if it does.
func TestReviewKeepsNoBuffer(t *testing.T) {
	t.Parallel()
	t.Run("large", func(t *testing.T) { testKeepsNoBuffer(t, 1<<20, true) })
	t.Run("of one's own", func(t *testing.T) { testKeepsNoBuffer(t, 100, false) })
}

func testKeepsNoBuffer(t *testing.T, size int, builtIn bool) {
	left := make(chan struct{})
	slow := outputCheck("slow", func(ctx context.Context, p *check.Pass) error {
		defer close(left)
		<-ctx.Done()
		for range 100 {
			for _, c := range p.Result.Raw {
				if c == '!' {
					t.Error("it reads the next message")
					return nil
				}
			}
		}
		return nil
	})
	if !builtIn {
		slow.Bounded = bounded.Promise{}
	}
	g, err := toolvet.New(toolvet.WithChecks(slow))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := textResult(t, strings.Repeat("a", size))
	if v := g.Review(ctx, new(call.Call), r); v.Go {
		t.Error("shown though nobody has looked")
	}
	for i := range r.Raw {
		r.Raw[i] = '!'
	}
	<-left
}

// TestManySecrets holds that each of thousands of secrets has its place, also in a large result:
// what a policy allows somewhere is not cut out there, and cut out elsewhere.
func TestManySecrets(t *testing.T) {
	t.Parallel()
	const n = 3000
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, `{"token":%q,"note":%q},`, leaked, strings.Repeat("x", 50))
	}
	raw := `{"content":[],"structuredContent":{"list":[` + strings.TrimSuffix(b.String(), ",") + `],"other":"` + leaked + `"}}`
	synctest.Test(t, func(t *testing.T) { // a busy machine costs no time
		v := review(t, "output: {secrets: {allow_paths: [/structuredContent/list/*/token]}}\n", "tools/call", raw, nil)
		if !v.Go || strings.Count(string(v.Raw), leaked) != n || !strings.HasSuffix(string(v.Raw), `"other":"[redacted:github-pat]"}}`) {
			t.Errorf("go %v, %d of %d are left", v.Go, strings.Count(string(v.Raw), leaked), n)
		}
		if len(v.Findings) != 1 || v.Findings[0].Pointer != "/structuredContent/other" {
			t.Errorf("findings: %v", v.Findings)
		}
		v = review(t, "", "tools/call", raw, nil)
		if strings.Contains(string(v.Raw), leaked) || len(v.Findings) != 101 {
			t.Fatalf("go %v, %d findings", v.Go, len(v.Findings))
		}
		if v.Findings[99].Pointer != "/structuredContent/list/99/token" || v.Findings[100].Message != "and 2901 more secrets" {
			t.Errorf("go %v, %d findings, the last %v", v.Go, len(v.Findings), v.Findings[len(v.Findings)-2:])
		}
	})
}
