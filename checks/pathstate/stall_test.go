// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/internal/bounded"
)

// A fake is a system of empty directories. Paths below /dead do not answer until they are
// released.
type fake struct {
	release chan struct{}
	failure error            // of every question
	links   map[string]entry //
	asked   atomic.Int64
}

func (f *fake) wait(path string) error {
	f.asked.Add(1)
	if f.failure == errPanic {
		panic("out of order")
	}
	if strings.HasPrefix(path, "/dead/") {
		<-f.release
	}
	return f.failure
}

func (f *fake) describe(path string) (entry, error) {
	err := f.wait(path)
	if e, ok := f.links[path]; ok {
		return e, err
	}
	return entry{kind: directory}, err
}

func (f *fake) local(path string) bool   { return !strings.HasPrefix(path, "/dead") }
func (f *fake) may(access, string) error { return errors.ErrUnsupported }
func (f *fake) names(_ context.Context, dir string, _ func(string)) error {
	return f.wait(dir)
}

func (f *fake) free(string) (int64, error) { return 0, errors.ErrUnsupported }

// TestStall holds that a file system that does not answer costs the budget and not
// more, says which paths were not looked at, keeps what was found of others, and
// leaves nothing behind once it answers: synctest fails if a goroutine stays.
func TestStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{release: make(chan struct{})}
		c := newCheck(f, 8)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		run := newRun(c, check.World{}, &path.Options{Type: "file"}, "/dead/x", "/live/x", "/dead/y")
		run.Targets[2].Pointer = "/other"
		begin := time.Now()
		err := run.Do(ctx)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("took %v, want the budget of 1s", took)
		}
		want := "the file system did not answer in time for the paths at /path, /other\ncontext deadline exceeded"
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if diff := cmp.Diff([]string{"must be a file, but is a directory"}, texts(run)); diff != "" {
			t.Errorf("findings (-want +got):\n%s", diff)
		}
		asked := f.asked.Load()
		close(f.release)
		synctest.Wait()
		if more := f.asked.Load() - asked; more != 0 {
			t.Errorf("asked %d more times after the time was over", more)
		}
	})
}

// TestStallsAreBounded holds that a dead file system blocks a bounded number of goroutines, and
// that its slots come free again.
func TestStallsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{release: make(chan struct{})}
		c := newCheck(f, 2)
		run := func(paths ...any) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return newRun(c, check.World{}, &path.Options{Exists: &yes}, paths...).Do(ctx)
		}
		for range 5 {
			if err := run("/dead/1", "/dead/2", "/dead/3", "/live/4"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want that the time is over", err)
			}
		}
		if asked := f.asked.Load(); asked != 4 { // /dead and what is in it, twice
			t.Errorf("asked %d times, want 4: two looks are all that may wait", asked)
		}
		if err := run("/live/x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with every slot taken: got %v, want that the time is over", err)
		}
		close(f.release)
		synctest.Wait()
		if err := run("/dead/1", "/dead/2", "/dead/3", "/live/4"); err != nil {
			t.Errorf("after it answers again: %v", err)
		}
	})
}

func TestContextDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &fake{}
	c := newCheck(f, 1)
	if err := newRun(c, check.World{}, &path.Options{Exists: &yes}, "/a", "/b", "/c").Do(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

var errPanic = errors.New("panic")

// TestFailures holds that an unknown answer of the system never counts as fine.
func TestFailures(t *testing.T) {
	t.Parallel()
	magic := map[string]entry{"/l": {kind: link, target: "pipe:[1]", magic: true}}
	all := func() *path.Options { return &path.Options{Readable: true, Writable: true} }
	for name, tt := range map[string]struct {
		fake    *fake
		options *path.Options
		want    []string
		err     string
	}{
		"i/o error":          {&fake{failure: syscall.EIO}, all(), nil, `looking at the path at "/path": ` + syscall.EIO.Error()},
		"panic":              {&fake{failure: errPanic}, all(), nil, `looking at the path at "/path": panic: out of order`},
		"may not enter":      {&fake{failure: syscall.EACCES}, all(), []string{"lies behind a directory that toolvet may not enter or read, so that nothing is known of it"}, ""},
		"gone":               {&fake{failure: fs.ErrNotExist}, all(), []string{"does not exist", "skip: not looked: this system does not tell of permissions without opening files"}, ""},
		"no permissions":     {&fake{}, all(), []string{"skip: not looked: this system does not tell of permissions without opening files"}, ""},
		"no free space":      {&fake{}, &path.Options{MinFree: 1}, []string{"skip: not looked: this system does not tell of free space"}, ""},
		"magic link":         {&fake{links: magic}, all(), []string{"skip: not looked: the path leads through a link that means something else to each process"}, ""},
		"confined magic":     {&fake{links: magic}, &path.Options{Within: []string{"/"}}, []string{"security: leads through a link that means something else to each process: give the path that it leads to"}, ""},
		"magic allowed root": {&fake{links: magic}, &path.Options{Within: []string{"/l"}}, []string{"security: leads through a link that means something else to each process: give the path that it leads to"}, ""},
	} {
		c := newCheck(tt.fake, 1)
		run := newRun(c, check.World{}, tt.options, "/l")
		err := run.Do(t.Context())
		if got := errorText(err); got != tt.err {
			t.Errorf("%s: error %q, want %q", name, got, tt.err)
		}
		if diff := cmp.Diff(tt.want, texts(run)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestPrompt holds that a prompt look asks nothing of a file system that may not answer, and says that it would wait.
func TestPrompt(t *testing.T) {
	t.Parallel()
	links := map[string]entry{"/live": {kind: link, target: "/dead/x"}, "/in": {kind: link, target: "/srv"}}
	many := make([]any, maxPrompt+1)
	for i := range many {
		many[i] = "/srv/x"
	}
	for name, tt := range map[string]struct {
		within string
		paths  []any
		slots  int
		asked  int64
		want   error
	}{
		"local":           {"", []any{"/srv/x", "/in/y"}, 1, 5, nil},
		"dead":            {"", []any{"/dead/x"}, 1, 0, bounded.ErrWaits},
		"a link to dead":  {"", []any{"/live"}, 1, 1, bounded.ErrWaits},
		"dead root":       {"/dead", []any{"/dead/x"}, 1, 0, bounded.ErrWaits},
		"many":            {"", many, 1, 0, bounded.ErrWaits},
		"no slot is free": {"", []any{"/srv/x"}, 0, 0, bounded.ErrWaits},
	} {
		f := &fake{links: links}
		o := &path.Options{Exists: &yes}
		if tt.within != "" {
			o.Within = []string{tt.within}
		}
		run := newRun(newCheck(f, tt.slots), check.World{}, o, tt.paths...)
		if err := run.Do(bounded.Promptly(t.Context())); !errors.Is(err, tt.want) || f.asked.Load() != tt.asked || len(run.Findings) > 0 {
			t.Errorf("%s: %v, asked %d times, found %v", name, err, f.asked.Load(), run.Findings)
		}
	}
}
