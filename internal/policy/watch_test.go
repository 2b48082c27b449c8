// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/internal/notice"
)

// A watching is a Watcher under test, and what it loaded. The clock is that of a bubble of synctest, the files are real.
type watching struct {
	*testing.T
	*Watcher
	logged *bytes.Buffer

	mu     sync.Mutex
	texts  []string // loaded, in order
	beside []string
	fail   func(text string) error // nil: no text is refused
}

// startWatch watches a file with a text until the test ends.
func startWatch(t *testing.T, file, text string) *watching {
	t.Helper()
	w := &watching{T: t, logged: &bytes.Buffer{}}
	write(t, file, text)
	w.Watcher = &Watcher{File: file, Log: slog.New(slog.NewTextHandler(w.logged, nil)), Load: w.load}
	w.Holds([]byte(text))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Watcher.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

func (w *watching) load(text []byte) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		if err := w.fail(string(text)); err != nil {
			return w.beside, err
		}
	}
	w.texts = append(w.texts, string(text))
	return w.beside, nil
}

// loads returns the texts that were loaded.
func (w *watching) loads() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

// wants waits for as long as a change may take, and expects that a text was loaded last.
func (w *watching) wants(what, text string) {
	w.Helper()
	time.Sleep(InForceWithin)
	if got := w.loads(); len(got) == 0 || got[len(got)-1] != text {
		w.Fatalf("%s: in force is %q, want %q", what, got[max(0, len(got)-1):], text)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(text), 0o600))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestInForceWithin(t *testing.T) {
	t.Parallel()
	if InForceWithin >= time.Second {
		t.Errorf("a change is in force after %v, and documented is a second", InForceWithin)
	}
}

// TestWatchWays replaces a policy in every way at random, while another program writes into its directory all the
// time: each text is in force in time, and no part of a text ever is.
func TestWatchWays(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			base := t.TempDir() // outside the bubble, whose clock stands in the past
			synctest.Test(t, func(t *testing.T) { watchWays(t, base, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func watchWays(t *testing.T, base string, random *rand.Rand) {
	in := func(name ...string) string { return filepath.Join(append([]string{base}, name...)...) }
	must(t, os.MkdirAll(in("r0", "conf"), 0o700))
	must(t, os.Symlink("r0", in("current")))
	file := in("current", "conf", "toolvet.yaml")
	texts := []string{textOf(0)}
	w := startWatch(t, file, texts[0])
	stop := make(chan struct{})
	defer close(stop)
	go func() { // noise beside the file
		for n := 0; ; n++ {
			_ = os.WriteFile(in("current", "conf", "log.jsonl"), fmt.Append(nil, n), 0o600)
			select {
			case <-stop:
				return
			case <-time.After(40 * time.Millisecond):
			}
		}
	}()
	swap := func(n int, link, target string) {
		must(t, os.Symlink(target, in("tmp", fmt.Sprint(n))))
		must(t, os.Rename(in("tmp", fmt.Sprint(n)), in(link)))
	}
	must(t, os.Mkdir(in("tmp"), 0o700))
	ways := []struct {
		name string
		do   func(n int, text string)
	}{
		{"written in steps", func(_ int, text string) {
			f, err := os.Create(file)
			must(t, err)
			for half := range slices.Chunk([]byte(text), len(text)/3) {
				_, err := f.Write(half)
				must(t, err)
				time.Sleep(time.Duration(random.Int64N(int64(Rest - 2*lookEvery))))
			}
			must(t, f.Close())
		}},
		{"renamed", func(n int, text string) {
			write(t, file+"~", text)
			must(t, os.Rename(file+"~", file))
		}},
		{"moved away and written", func(_ int, text string) {
			must(t, os.Rename(file, file+".bak"))
			time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
			write(t, file, text)
		}},
		{"directory is a link that is swapped", func(n int, text string) {
			release := fmt.Sprint("r", n)
			must(t, os.MkdirAll(in(release, "conf"), 0o700))
			write(t, in(release, "conf", "toolvet.yaml"), text)
			swap(n, "current", release)
		}},
		{"directory replaced", func(n int, text string) {
			must(t, os.Mkdir(in("current", "new"), 0o700))
			write(t, in("current", "new", "toolvet.yaml"), text)
			must(t, os.Rename(in("current", "conf"), in("tmp", fmt.Sprint("old", n))))
			must(t, os.Rename(in("current", "new"), in("current", "conf")))
		}},
		{"directory removed and made", func(n int, text string) {
			must(t, os.Rename(in("current", "conf"), in("tmp", fmt.Sprint("gone", n)))) // as rm -r, with the noise under way
			time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
			must(t, os.Mkdir(in("current", "conf"), 0o700))
			write(t, file, text)
		}},
		{"a link to a link of a directory, as in a ConfigMap", func(n int, text string) {
			data := fmt.Sprint("..", n)
			must(t, os.Mkdir(in("current", "conf", data), 0o700))
			write(t, in("current", "conf", data, "toolvet.yaml"), text)
			must(t, os.Symlink(data, in("tmp", fmt.Sprint(n))))
			must(t, os.Rename(in("tmp", fmt.Sprint(n)), in("current", "conf", "..data")))
			_ = os.Remove(file)
			must(t, os.Symlink(filepath.Join("..data", "toolvet.yaml"), file))
		}},
	}
	for n := 1; n <= 25; n++ {
		way := ways[random.IntN(len(ways))]
		text := textOf(n)
		texts = append(texts, text)
		way.do(n, text)
		w.wants(way.name, text)
	}
	for _, text := range w.loads() {
		if !slices.Contains(texts, text) {
			t.Errorf("a part of a policy was in force: %q", text)
		}
	}
}

// textOf returns a policy whose parts are policies, too.
func textOf(n int) string {
	return fmt.Sprintf("version: 1\npreset: standard # %d\nrules:\n  - {name: none, effect: deny, tools: \"s:*\"}\n# the end of %d\n", n, n)
}

// TestWatchRefused: a text that is refused leaves the one before it in force, and is tried again until
// nothing is missing any more.
func TestWatchRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, lock := filepath.Join(dir, "toolvet.yaml"), filepath.Join(dir, "toolvet.lock")
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, file, "one")
		first := w.InForce()
		var tries int
		w.beside = []string{lock}
		w.fail = func(text string) error {
			tries++
			_, err := os.Stat(lock)
			return err
		}
		write(t, file, "two")
		time.Sleep(10 * time.Second)
		now := w.InForce()
		if got := w.loads(); len(got) != 0 || tries < 8 || now.Digest != first.Digest || !strings.Contains(now.Problem, "toolvet.lock") {
			t.Fatalf("loaded %q, %d tries, in force %+v", got, tries, now)
		}
		if n := strings.Count(w.logged.String(), "stays in force"); n != 1 {
			t.Errorf("the reason is logged %d times: %s", n, w.logged)
		}
		write(t, lock, "1")
		w.wants("the lock has come", "two")
		now = w.InForce()
		if now.Problem != "" || now.Digest == first.Digest || !now.Since.After(first.Since) || time.Since(now.Looked) > time.Second {
			t.Errorf("in force %+v", now)
		}
		// The files beside count as much as the policy, whoever named them.
		time.Sleep(5 * time.Second)
		before := len(w.loads())
		write(t, lock, "2")
		time.Sleep(InForceWithin)
		if got := len(w.loads()); got != before+1 {
			t.Errorf("after a change of the lock, the policy was loaded %d times more, want 1", got-before)
		}
		// What is refused for another reason than a file is tried again, too.
		missing := true
		w.mu.Lock()
		w.fail = func(string) error {
			if missing {
				return fmt.Errorf("a variable is missing")
			}
			return nil
		}
		w.mu.Unlock()
		write(t, file, "three")
		time.Sleep(time.Minute)
		w.mu.Lock()
		missing = false
		w.mu.Unlock()
		w.wants("a retry", "three")
		// A file that is what is in force again is no problem any more.
		must(t, os.Remove(file))
		time.Sleep(5 * time.Second)
		if got := w.InForce().Problem; !strings.Contains(got, "reading the policy") {
			t.Errorf("the file is gone, and the problem is %q", got)
		}
		before = len(w.loads())
		write(t, file, "three")
		time.Sleep(InForceWithin)
		if got := w.InForce().Problem; got != "" || len(w.loads()) != before {
			t.Errorf("the file is back: problem %q, %d loads more", got, len(w.loads())-before)
		}
	})
}

// TestWatchUnfinished: while the text in force has an end marker, a text without one is unfinished, however
// long it rests.
func TestWatchUnfinished(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	synctest.Test(t, func(t *testing.T) {
		const head, full = "version: 1\n", "version: 1\npreset: strict\n...\n"
		w := startWatch(t, file, full)
		write(t, file, head)
		time.Sleep(time.Hour)
		if got := w.loads(); len(got) != 0 || !strings.Contains(w.InForce().Problem, `"..."`) {
			t.Fatalf("loaded %q, problem %q", got, w.InForce().Problem)
		}
		write(t, file, head+"preset: observe\n...\r\n\n")
		w.wants("an end marker", head+"preset: observe\n...\r\n\n")
	})
	for text, want := range map[string]bool{"": false, "...": true, "a: b...": false, "a: b\n...": true, "a: b\n ...": false, "a: b\n...\n\n": true, "...\na: b\n": false} {
		if got := hasEnd([]byte(text)); got != want {
			t.Errorf("hasEnd(%q) = %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"version: 1\n...", "version: 1\npreset: strict\n...\n"} {
		if _, err := Parse("p", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestWatchFleeting: a text that is there for a moment never counts, and a program that writes all the time is heard
// when it stops.
func TestWatchFleeting(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, file, "one")
		for n := range 100 {
			write(t, file, textOf(n))
			time.Sleep(Rest - lookEvery)
		}
		if got := w.loads(); len(got) != 0 {
			t.Errorf("texts that did not rest were loaded: %q", got)
		}
		write(t, file, "two")
		w.wants("the last text", "two")
		// One that is written within a tick of the file system's clock, and has the same size.
		before, err := os.Stat(file)
		must(t, err)
		write(t, file, "six")
		must(t, os.Chtimes(file, before.ModTime(), before.ModTime()))
		w.wants("a text of the same size and time", "six")
	})
}

// TestWatchReal holds the Watcher to a real clock and a directory that another program fills.
func TestWatchReal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "toolvet.yaml")
	loaded := make(chan string, 100)
	w := &Watcher{File: file, Load: func(text []byte) ([]string, error) { loaded <- string(text); return nil, nil }}
	write(t, file, "one")
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	running.Go(func() { w.Run(ctx) })
	running.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			_ = os.WriteFile(filepath.Join(dir, "log"), fmt.Append(nil, n), 0o600)
			time.Sleep(time.Millisecond)
		}
	})
	for _, want := range []string{"one", "two", "three"} {
		write(t, file, want)
		select {
		case got := <-loaded:
			if got != want {
				t.Fatalf("loaded %q, want %q", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%q is not in force", want)
		}
	}
}

// TestWatchOther: neither a pipe nor a directory in the file's place blocks the Watcher.
func TestWatchOther(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, file, "one")
		must(t, os.Remove(file))
		must(t, os.Mkdir(file, 0o700))
		time.Sleep(InForceWithin)
		if got := w.InForce().Problem; !strings.Contains(got, "not a regular file") {
			t.Errorf("problem %q", got)
		}
		must(t, os.Remove(file))
		write(t, file, "two")
		w.wants("a file again", "two")
		if (*Watcher)(nil).InForce() != (InForce{}) {
			t.Error("no Watcher has a policy in force")
		}
	})
}

// TestReload: of several Reloads at once, none puts an older text in force than the file holds, and each fault is told.
func TestReload(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	write(t, file, "0")
	var inForce string // Load does not run twice at once
	w := &Watcher{File: file, Load: func(text []byte) ([]string, error) {
		if inForce = string(text); inForce == "broken" {
			return nil, errors.New("it is broken")
		}
		return nil, nil
	}}
	for i := range 200 {
		text := strconv.Itoa(i)
		var both sync.WaitGroup
		reload := func() {
			if err := w.Reload(); err != nil {
				t.Error(err)
			}
		}
		both.Go(reload)
		both.Go(func() {
			write(t, file+".new", text)
			must(t, os.Rename(file+".new", file))
			reload()
		})
		if both.Wait(); inForce != text {
			t.Fatalf("in force is %q, the file holds %q", inForce, text)
		}
	}
	write(t, file, "broken")
	if err := w.Reload(); err == nil || w.InForce().Problem != err.Error() {
		t.Errorf("a broken text: %v, %+v", err, w.InForce())
	}
	must(t, os.Remove(file))
	must(t, os.Mkdir(file, 0o700))
	if err := w.Reload(); !errors.Is(err, errNotRegular) || w.InForce().Problem != err.Error() {
		t.Errorf("a directory: %v, %+v", err, w.InForce())
	}
	must(t, os.Remove(file))
	write(t, file, "fine")
	if err := w.Reload(); err != nil || w.InForce().Problem != "" {
		t.Errorf("a text without fault: %v, %+v", err, w.InForce())
	}
}

// A policy that has changed is a notice, which names the sections that differ. The first policy is none.
func TestChangeIsTold(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	before := "# mine\nversion: 1\nservers:\n  a: {command: [a]}\nlimits: []\nlog: {file: a}\n"
	var out bytes.Buffer
	w := &Watcher{File: file, Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: notice.Level})), Load: func([]byte) ([]string, error) { return nil, nil }}
	w.Holds([]byte(before))
	if out.Len() > 0 {
		t.Errorf("of the first policy the log says %s", &out)
	}
	write(t, file, "version: 1\nservers:\n  a: {command: [a]}\n  b: {command: [b]}\nlimits: []\nrules: []\n")
	if err := w.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`level=INFO+1 msg="the policy has changed, and holds"`, `changed="log, rules, servers"`} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("the log lacks %s:\n%s", want, &out)
		}
	}
}

// Each name is that of a section, in whichever style of YAML the policy is.
func TestSectionsChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, want string }{
		{"version: 1\nservers:\n  a: {env: {TOKEN: \"x\nhunter2: x\"}}\n", "version: 1\nservers:\n  a: {env: {TOKEN: \"x\nhunter3: x\"}}\n", "servers"},
		{"version: 1\nservers: {\nhunter2: {}}\n", "version: 1\nservers: {\nhunter3: {}}\n", "servers"},
		{"{\n  \"version\": 1,\n  \"limits\": []\n}\n", "{\n  \"version\": 1,\n  \"limits\": [],\n  \"rules\": []\n}\n", "limits, rules"},
		{"{version: 1, limits: []}", "{version: 1}", "limits, version"},
		{"version: 1\r\n'limits': []\r\n", "version: 1\r\n'limits': [ ]\r\n", "limits"},
	} {
		if got := strings.Join(sectionsChanged([]byte(tt.before), []byte(tt.after)), ", "); got != tt.want {
			t.Errorf("from %q to %q: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
}
