// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A troubled file fails or blocks on demand.
type troubled struct {
	*os.File

	mu      sync.Mutex
	write   func() (bytes int, err error) // instead of the next writes; nil: none
	syncErr error
}

func (f *troubled) set(write func() (int, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.write = write
}

func (f *troubled) WriteAt(p []byte, at int64) (int, error) {
	f.mu.Lock()
	write := f.write
	f.mu.Unlock()
	if write == nil {
		return f.File.WriteAt(p, at)
	}
	n, err := write()
	if err == nil {
		return f.File.WriteAt(p, at)
	}
	n, writeErr := f.File.WriteAt(p[:min(n, len(p))], at)
	return n, errors.Join(err, writeErr)
}

func (f *troubled) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.syncErr != nil {
		return f.syncErr
	}
	return f.File.Sync()
}

func openTroubled(t *testing.T, o Options) (*Log, *troubled) {
	t.Helper()
	f := &troubled{}
	l, err := openWith(o, func(name string) (file, error) {
		opened, err := openFile(name)
		if strings.HasSuffix(name, headSuffix) {
			return opened, err
		}
		if err == nil {
			f.File = opened.(*os.File)
		}
		return f, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(context.Background()) })
	return l, f
}

func TestDiskFullRecovers(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	l, f := openTroubled(t, o)
	appendN(t, l, 2)
	f.set(func() (int, error) { return 17, syscall.ENOSPC }) // a piece fits
	for range 3 {
		if err := l.Append(t.Context(), sample(0)); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("Append = %v, want ENOSPC", err)
		}
		if text := read(t, o.File); !bytes.HasSuffix(text, []byte("\"}\n")) || bytes.Count(text, []byte("\n")) != 2 {
			t.Fatalf("a piece of a line was left:\n%s", text)
		}
	}
	f.set(nil)
	appendN(t, l, 1)
	mustClose(t, l)
	r := verify(t, VerifyOptions{}, o.File)
	wantOK(t, r, 4)
	if r.Chains[0].Lost != 3 {
		t.Errorf("%d records are said to be lost, want 3", r.Chains[0].Lost)
	}
}

// TestLostIsToldWithoutAnotherCall waits for the record of a loss.
func TestLostIsToldWithoutAnotherCall(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	l, f := openTroubled(t, o)
	f.set(func() (int, error) { return 0, syscall.ENOSPC })
	if l.Append(t.Context(), sample(0)) == nil {
		t.Fatal("written to a full disk")
	}
	f.set(nil)
	mustClose(t, l)
	if r := verify(t, VerifyOptions{}, o.File); !r.OK() || r.Chains[0].Lost != 1 || r.Chains[0].LastKind != KindLost {
		t.Errorf("report %+v", r)
	}
}

// TestSlowDisk: no Append waits longer than its context, or than MaxWait.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	l, f := openTroubled(t, o)
	begun, release := make(chan bool), make(chan bool)
	f.set(func() (int, error) {
		begun <- true
		<-release
		return 0, nil
	})
	stuck := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { stuck <- l.Append(ctx, sample(0)) }()
	<-begun
	cancel()
	if err := <-stuck; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "may be written later") {
		t.Fatalf("an Append whose write hangs: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for i := range queueLength + 3 { // fills the queue, and then finds it full
		err := l.Append(ctx, sample(1))
		if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "later") {
			t.Fatalf("Append %d behind it: %v", i, err)
		}
	}
	if err := l.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	f.set(nil)
	close(release)
	<-l.ended
	r := verify(t, VerifyOptions{}, o.File)
	wantOK(t, r, 2)
	if r.Chains[0].Lost != queueLength+3 {
		t.Errorf("%d records are said to be lost, want %d", r.Chains[0].Lost, queueLength+3)
	}
}

func TestMaxWait(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.MaxWait = time.Millisecond
	l, f := openTroubled(t, o)
	release := make(chan bool)
	f.set(func() (int, error) { <-release; return 0, nil })
	if err := l.Append(context.Background(), sample(0)); !errors.Is(err, errSlow) {
		t.Errorf("Append without a deadline: %v", err)
	}
	f.set(nil)
	close(release)
	mustClose(t, l)
}

func TestSyncAlways(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.Sync = SyncAlways
	l, f := openTroubled(t, o)
	appendN(t, l, 2)
	f.mu.Lock()
	f.syncErr = syscall.EIO
	f.mu.Unlock()
	for range 2 {
		if err := l.Append(t.Context(), sample(0)); !errors.Is(err, syscall.EIO) {
			t.Fatalf("Append = %v, want EIO", err)
		}
		f.mu.Lock()
		f.syncErr = nil // a sync that succeeds after one that failed proves nothing
		f.mu.Unlock()
	}
	if err := l.Close(t.Context()); !errors.Is(err, syscall.EIO) {
		t.Errorf("Close = %v, want EIO", err)
	}
}

func TestSyncEverySecond(t *testing.T) {
	t.Parallel()
	l, f := openTroubled(t, testOptions(t))
	f.mu.Lock()
	f.syncErr = syscall.EIO
	f.mu.Unlock()
	until(t, l, func(err error) bool { return errors.Is(err, syscall.EIO) })
}

// TestHeadAfterPowerFailure holds the order in which a start brings things to the disk, so that no power failure makes a head
// disown its log: records before the head that names them, and the head of a new chain before the chain's records.
func TestHeadAfterPowerFailure(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	var syncs []string
	start := func(end Kind) []string {
		t.Helper()
		syncs = nil
		l, err := openWith(o, func(name string) (file, error) {
			f, err := openFile(name)
			return &synced{f, func() { syncs = append(syncs, strings.TrimPrefix(name, o.File)) }}, err
		})
		if err != nil {
			t.Fatal(err)
		}
		done := slices.Clone(syncs)
		if err := l.Append(t.Context(), Record{Kind: end}); err != nil {
			t.Fatal(err)
		}
		mustClose(t, l)
		return done
	}
	if got := start(KindStop); !slices.Equal(got, []string{headSuffix}) {
		t.Errorf("a new log syncs %q", got)
	}
	old := read(t, o.File+headSuffix)
	if got := start(KindStop); len(got) != 0 {
		t.Errorf("a whole log syncs %q", got)
	}
	rewrite(t, o.File+headSuffix, old) // as after kill -9 between the stop record and its sync
	if got := start(KindStop); !slices.Equal(got, []string{""}) {
		t.Errorf("a log whose head is old syncs %q", got)
	}
	if err := os.Remove(o.File); err != nil {
		t.Fatal(err)
	}
	if got := start(KindStop); !slices.Equal(got, []string{headSuffix}) {
		t.Errorf("a new chain beside an old head syncs %q", got)
	}
}

// A synced file tells of its syncs.
type synced struct {
	file
	tell func()
}

func (f *synced) Sync() error {
	f.tell()
	return f.file.Sync()
}

// until appends until the error is the expected one.
func until(t *testing.T, l *Log, want func(error) bool) {
	t.Helper()
	for {
		if err := l.Append(context.Background(), sample(0)); err != nil {
			if !want(err) {
				t.Fatal(err)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestFileIsMovedOrChanged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(file string) error
		want string
	}{
		"deleted": {os.Remove, "the log is gone"},
		"moved": {func(file string) error {
			return errors.Join(os.Rename(file, file+".1"), os.WriteFile(file, nil, 0o600))
		}, "another file stands in its place"},
		"cut off": {func(file string) error { return os.Truncate(file, 0) }, "somebody else wrote to it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("Windows moves no open file")
			}
			o := testOptions(t)
			l := mustOpen(t, o)
			appendN(t, l, 2)
			if err := tt.do(o.File); err != nil {
				t.Fatal(err)
			}
			until(t, l, func(err error) bool { return strings.Contains(err.Error(), tt.want) })
		})
	}
}

// TestTornLine tears the last line at each of its bytes.
func TestTornLine(t *testing.T) {
	t.Parallel()
	file, text := smallLog(t, 2, nil)
	begin := bytes.IndexByte(text, '\n') + 1
	first, _, _ := splitLine(text[:begin])
	for cut := begin + 1; cut < len(text); cut++ {
		rewrite(t, file, text[:cut])
		rewrite(t, file+headSuffix, []byte(headLine(first, newHash(nil))))
		o := Options{File: file, MaxWait: time.Minute}
		l := mustOpen(t, o)
		appendN(t, l, 1)
		mustClose(t, l)
		r := verify(t, VerifyOptions{}, file)
		wantOK(t, r, 3)
		list := slices.Collect(func(yield func(Record) bool) {
			for record := range Records(file) {
				yield(record)
			}
		})
		if got := list[1]; got.Kind != KindRecovered || got.TornBytes != int64(cut-begin) || !bytes.Equal(got.Torn, text[begin:cut]) || r.Chains[0].Torn != 1 {
			t.Fatalf("cut at %d: recovered %+v", cut, got)
		}
	}
}

// TestTornLarge tears off more than a recovered record keeps.
func TestTornLarge(t *testing.T) {
	t.Parallel()
	for _, whole := range []int{0, 1} {
		file, text := smallLog(t, 1, nil)
		const n = 3 << 20
		rewrite(t, file, slices.Concat(bytes.Repeat(text, whole), make([]byte, n)))
		if whole == 0 { // the first record of all is torn
			begun, err := newChain()
			if err != nil {
				t.Fatal(err)
			}
			rewrite(t, file+headSuffix, []byte(headLine(begun, newHash(nil))))
		}
		l := mustOpen(t, Options{File: file})
		mustClose(t, l)
		r := verify(t, VerifyOptions{}, file)
		wantOK(t, r, whole+1)
		for record := range Records(file) {
			if record.Kind == KindRecovered && (record.TornBytes != n || len(record.Torn) != maxTorn) {
				t.Errorf("%d bytes torn, %d kept", record.TornBytes, len(record.Torn))
			}
		}
	}
	file, _ := smallLog(t, 1, nil)
	if err := os.Truncate(file, 64<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{File: file}); !errors.Is(err, errNoLine) {
		t.Errorf("a file that ends in 64 MiB of zeros: %v", err)
	}
}

// TestCrashWhileRotating opens a log whose file was renamed without a successor.
func TestCrashWhileRotating(t *testing.T) {
	t.Parallel()
	file, text := smallLog(t, 2, nil)
	rotated := rotatedName(file, 2)
	if err := os.Rename(file, rotated); err != nil {
		t.Fatal(err)
	}
	l := mustOpen(t, Options{File: file, MaxWait: time.Minute})
	appendN(t, l, 1)
	mustClose(t, l)
	wantOK(t, verify(t, VerifyOptions{}, file, rotated), 3)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	rewrite(t, rotated, text[:len(text)-1])
	if _, err := Open(Options{File: file}); err == nil || !strings.Contains(err.Error(), "toolvet log verify") {
		t.Errorf("behind a rotated file that is torn: %v", err)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.MaxBytes, o.Keep = 1, 2
	l := mustOpen(t, o)
	appendN(t, l, 6)
	mustClose(t, l)
	rotated, err := rotatedFiles(o.File)
	if err != nil || len(rotated) != 2 {
		t.Fatalf("rotated %v, %v", rotated, err)
	}
	r := verify(t, VerifyOptions{}, append(rotated, o.File)...)
	wantOK(t, r, 3)
	if c := r.Chains[0]; c.FirstSeq != 4 || c.LastSeq != 6 {
		t.Errorf("chain %+v", c)
	}
	blocked := rotatedName(o.File, 6)
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	l = mustOpen(t, o)
	if err := l.Append(t.Context(), sample(0)); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a rotated file would be replaced: %v", err)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 1) // what failed is tried again
	mustClose(t, l)
	rotated, err = rotatedFiles(o.File)
	if err != nil {
		t.Fatal(err)
	}
	wantOK(t, verify(t, VerifyOptions{}, append(rotated, o.File)...), 4)
}

func TestRotationByAge(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	l := mustOpen(t, o)
	old := sample(0)
	old.Time = time.Now().Add(-25 * time.Hour)
	if err := l.Append(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	mustClose(t, l)
	o.MaxAge = 24 * time.Hour
	l = mustOpen(t, o)
	appendN(t, l, 2)
	mustClose(t, l)
	rotated, err := rotatedFiles(o.File)
	if err != nil || len(rotated) != 1 {
		t.Fatalf("rotated %v, %v", rotated, err)
	}
	wantOK(t, verify(t, VerifyOptions{}, rotated[0], o.File), 3)
}

func TestRotatedNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "log.jsonl")
	want := []string{rotatedName(file, 9), rotatedName(file, 10), rotatedName(file, 1_000_000_000_000)}
	for _, name := range append(want, file, file+".lock", filepath.Join(dir, "log.2-000000000001.jsonl"), filepath.Join(dir, "log-000000000001.gz"),
		filepath.Join(dir, "log-00000000000x.jsonl"), filepath.Join(dir, "log-1.jsonl")) {
		rewrite(t, name, nil)
	}
	got, err := rotatedFiles(file)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, sync := range map[string]Sync{"EverySecond": SyncEverySecond, "Always": SyncAlways} {
		b.Run(name, func(b *testing.B) {
			l := benchmarkLog(b, sync)
			r := sample(1)
			for b.Loop() {
				if err := l.Append(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Parallel", func(b *testing.B) {
		l := benchmarkLog(b, SyncEverySecond)
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := l.Append(context.Background(), sample(1)); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.Run("Encode", func(b *testing.B) {
		var body bytes.Buffer
		r := sample(1)
		for b.Loop() {
			body.Reset()
			if err := r.encode(&body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchmarkLog(b *testing.B, sync Sync) *Log {
	l, err := Open(Options{File: filepath.Join(b.TempDir(), "log.jsonl"), Sync: sync, MaxWait: time.Minute, MaxBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close(context.Background()) })
	b.ReportAllocs()
	return l
}
