// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

// TestChecksThatNeverReturn: runs that ignore their context keep a bounded number of goroutines, over all Gates with the
// check. After that it is refused at once, and started again when one returns.
func TestChecksThatNeverReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		var running atomic.Int32
		stuck := newCheck("stuck", func(context.Context, *check.Pass) error {
			running.Add(1)
			defer running.Add(-1)
			<-free
			return nil
		})
		var log bytes.Buffer
		var gates []*toolvet.Gate
		for range 3 { // as after changes of a policy
			gates = append(gates, newGate(t, toolvet.WithChecks(stuck), toolvet.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
		}
		const calls = 300
		for i := range calls {
			start := time.Now()
			v := gates[i%3].Judge(t.Context(), goodCall(t), toolvet.PointProxy)
			if v.Go || len(v.Errors()) != 1 || v.Stopped != nil {
				t.Fatalf("call %d: %v", i, v)
			}
			late := strings.Contains(v.String(), "did not finish within 1s")
			if took := time.Since(start); late != (i < 64) || late != (took == time.Second) {
				t.Fatalf("call %d after %v: %v", i, took, v)
			}
			if !late && !strings.Contains(v.String(), "was not started, because 64 earlier runs of it have not returned") {
				t.Fatalf("call %d: %v", i, v)
			}
		}
		if n := running.Load(); n != 64 || stuck.Left() != 64 {
			t.Errorf("%d goroutines, %d runs left behind", n, stuck.Left())
		}
		if !strings.Contains(log.String(), "was not started") {
			t.Error("the log does not tell")
		}
		close(free)
		synctest.Wait()
		if v := gates[0].Judge(t.Context(), goodCall(t), toolvet.PointProxy); !v.Go || stuck.Left() != 0 {
			t.Errorf("after all have returned, with %d left: %v", stuck.Left(), v)
		}
	})
}

// TestSlowChecksAreNotLeft: runs that heed their context, even late, do not count for ever; and many at once are no fault.
func TestSlowChecksAreNotLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := newCheck("slow", func(context.Context, *check.Pass) error { time.Sleep(900 * time.Millisecond); return nil })
		late := newCheck("late", func(ctx context.Context, _ *check.Pass) error {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return ctx.Err()
		})
		fine, never := newGate(t, toolvet.WithChecks(slow)), newGate(t, toolvet.WithChecks(late))
		var calls sync.WaitGroup
		for range 200 {
			calls.Go(func() {
				if v := fine.Judge(t.Context(), goodCall(t), toolvet.PointProxy); !v.Go {
					t.Error(v)
				}
			})
		}
		calls.Wait()
		for range 3 {
			for range 60 {
				calls.Go(func() { never.Judge(t.Context(), goodCall(t), toolvet.PointProxy) })
			}
			calls.Wait()
			if late.Left() != 60 {
				t.Errorf("%d runs are left", late.Left())
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if late.Left() != 0 {
				t.Errorf("%d runs are left that have returned", late.Left())
			}
		}
	})
}

// TestPanicHasStack: the log tells where a check panicked.
func TestPanicHasStack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := newGate(t, toolvet.WithChecks(newCheck("broken", func(context.Context, *check.Pass) error { return deepInside(nil) })),
		toolvet.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if v := g.Judge(t.Context(), goodCall(t), toolvet.PointProxy); v.Go {
		t.Error(v)
	}
	if !strings.Contains(log.String(), "deepInside") || !strings.Contains(log.String(), "own_test.go") {
		t.Errorf("the log has no stack: %s", log.String())
	}
}

//go:noinline
func deepInside(m map[string]int) error { m["x"] = 1; return nil }

// TestErrOfStopped: the error of a verdict tells that its caller gave up, and no other verdict tells so.
func TestErrOfStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := newCheck("slow", func(ctx context.Context, _ *check.Pass) error { <-ctx.Done(); return ctx.Err() })
		g := newGate(t, toolvet.WithChecks(slow))
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		short, end := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer end()
		for _, tt := range []struct {
			ctx  context.Context
			want error
		}{{canceled, context.Canceled}, {canceled, context.Canceled}, {short, context.DeadlineExceeded}, {t.Context(), nil}} {
			for _, at := range points {
				v := g.Judge(tt.ctx, goodCall(t), at)
				err := v.Err("read")
				var denied *toolvet.DeniedError
				if !errors.As(err, &denied) || errors.Unwrap(denied) != tt.want || v.Stopped != tt.want {
					t.Errorf("point %v: %v, stopped %v", at, err, v.Stopped)
				}
				if errors.Is(err, context.Canceled) != (tt.want == context.Canceled) || errors.Is(err, context.DeadlineExceeded) != (tt.want == context.DeadlineExceeded) {
					t.Errorf("point %v: %v does not match %v alone", at, err, tt.want)
				}
			}
		}
		quick := newGate(t, toolvet.WithChecks(newCheck("odd", finding("is odd"))))
		if v := quick.Judge(t.Context(), goodCall(t), toolvet.PointProxy); v.Stopped != nil || errors.Unwrap(v.Err("read")) != nil {
			t.Errorf("a refusal: %v", v.Err("read"))
		}
	})
}

// TestTextsAreOneLine: what a check says of a call reaches logs, terminals and models without control characters.
func TestTextsAreOneLine(t *testing.T) {
	t.Parallel()
	evil := "value\nis \x1b[31mbad\u202e\x00 \xff grüße"
	c := newCheck("odd", func(_ context.Context, pass *check.Pass) error {
		pass.Reportf("/n", "%s", evil)
		pass.Report(check.Finding{Message: evil, Suggestion: evil})
		pass.Skipf("%s", evil)
		return nil
	})
	v := newGate(t, toolvet.WithChecks(c)).Judge(t.Context(), goodCall(t), toolvet.PointProxy)
	const want = "value is \ufffd[31mbad\ufffd\ufffd \ufffd grüße"
	if len(v.Findings) != 2 || len(v.Skipped) != 1 {
		t.Fatalf("verdict: %+v", v)
	}
	for _, text := range []string{v.Findings[0].Message, v.Findings[1].Message, v.Findings[1].Suggestion, v.Skipped[0].Why} {
		if text != want {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}

// TestTried: a check that would have to wait runs again in a goroutine, and only that run counts.
func TestTried(t *testing.T) {
	t.Parallel()
	for _, waits := range []bool{true, false} {
		var prompt, others int
		tried := newCheck("tried", func(ctx context.Context, p *check.Pass) error {
			p.Reportf("", "found")
			if !bounded.Prompt(ctx) {
				others++
				return nil
			}
			prompt++
			if waits {
				return fmt.Errorf("looking: %w", bounded.ErrWaits)
			}
			return nil
		})
		tried.Bounded = bounded.Tried()
		v := newGate(t, toolvet.WithChecks(tried)).Judge(t.Context(), goodCall(t), toolvet.PointProxy)
		if len(v.Findings) != 1 || v.Findings[0].Message != "found" || prompt != 1 || (others == 1) != waits {
			t.Errorf("waits %t: %d prompt runs, %d others: %v", waits, prompt, others, v)
		}
	}
}
