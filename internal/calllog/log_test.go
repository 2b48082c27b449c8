// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

// testOptions wait long enough for a slow machine.
func testOptions(t *testing.T) Options {
	t.Helper()
	return Options{File: filepath.Join(t.TempDir(), "log.jsonl"), MaxWait: time.Minute}
}

func mustOpen(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(context.Background()) }) // closed by most tests already
	return l
}

func mustClose(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func appendN(t *testing.T, l *Log, n int) {
	t.Helper()
	for i := range n {
		if err := l.Append(t.Context(), sample(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// sample returns a typical record of the proxy.
func sample(i int) Record {
	return Record{
		Kind: KindCall, Session: "s1", Subject: "agent", Server: "files", Tool: "read_text_file", Point: "proxy",
		Request: fmt.Sprint(i), Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Verdict: NoGo,
		Findings:        []Finding{{Check: "path", Code: "SEMANTIC", Level: "security", Severity: "error", Pointer: "/path", Source: "path"}},
		ArgumentsDigest: "hmac-sha256:" + genesis, ArgumentsBytes: 120, DurationUS: 85,
		PolicyDigest: "sha256:" + genesis, SchemaDigest: "sha256:" + genesis,
	}
}

func verify(t *testing.T, o VerifyOptions, files ...string) Report {
	t.Helper()
	r, err := Verify(t.Context(), o, files...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantOK(t *testing.T, r Report, records int) {
	t.Helper()
	n := 0
	for _, c := range r.Chains {
		n += c.Records
	}
	if !r.OK() || n != records {
		t.Fatalf("%d records and faults %v, want %d records and none", n, r.Faults, records)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAppend(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	l := mustOpen(t, o)
	want := sample(1)
	want.Time = time.Date(2026, 11, 21, 6, 36, 19, 123456789, time.FixedZone("", 3600))
	want.Redactions = []Redaction{{Pointer: "/content/0/text", Pattern: "aws-key", Bytes: 20}}
	want.Arguments = json.RawMessage("{\n \"path\": \"<a&b>\",\"n\":1.0}")
	want.Roots = []string{"/srv"}
	if err := l.Append(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	seq, hash := l.Head()
	mustClose(t, l)
	text := read(t, o.File)
	for _, part := range []string{`"time":"2026-11-21T05:36:19.123456789Z"`, `"arguments":{"path":"<a&b>","n":1.0}`, `"seq":1,"prev":"000`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	var got []Record
	for r, err := range Records(o.File) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if len(got) != 1 || seq != 1 || got[0].Hash != hash || got[0].Prev != genesis || len(got[0].Chain) != chainDigits {
		t.Fatalf("head %d %s, records %+v", seq, hash, got)
	}
	want.Time, want.Arguments = want.Time.UTC(), json.RawMessage(`{"path":"<a&b>","n":1.0}`)
	want.Chain, want.Seq, want.Prev, want.Hash = got[0].Chain, 1, genesis, hash
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if err := l.Append(t.Context(), want); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	if err := l.Close(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Close after Close: %v", err)
	}
}

func TestFileMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	o := testOptions(t)
	mustClose(t, mustOpen(t, o))
	info, err := os.Stat(o.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(o.File, 0o622); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("a file that anybody may write to: %v", err)
	}
}

func TestRestartGoesOn(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	for range 3 {
		l := mustOpen(t, o)
		appendN(t, l, 4)
		mustClose(t, l)
	}
	r := verify(t, VerifyOptions{}, o.File)
	wantOK(t, r, 12)
	if c := r.Chains[0]; len(r.Chains) != 1 || c.FirstSeq != 1 || c.LastSeq != 12 || c.LastKind != KindCall {
		t.Errorf("chains %+v", r.Chains)
	}
}

func TestSecondWriterHasItsOwnFile(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	first, second := mustOpen(t, o), mustOpen(t, o)
	if first.File() != o.File || filepath.Base(second.File()) != "log.2.jsonl" {
		t.Fatalf("files %s and %s", first.File(), second.File())
	}
	appendN(t, first, 3)
	appendN(t, second, 2)
	mustClose(t, second)
	mustClose(t, first)
	r := verify(t, VerifyOptions{}, first.File(), second.File())
	wantOK(t, r, 5)
	if len(r.Chains) != 2 || r.Chains[0].ID == r.Chains[1].ID {
		t.Errorf("chains %+v", r.Chains)
	}
	if again := mustOpen(t, o); again.File() != o.File {
		t.Errorf("the file that nobody writes to any more is not taken again, but %s", again.File())
	}
}

func TestConcurrentAppends(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.MaxBytes = 20_000 // some forty records
	l := mustOpen(t, o)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 100 {
				if err := l.Append(context.Background(), sample(100*g+i)); err != nil {
					t.Error(err)
				}
				l.Head()
				l.Digest(map[string]any{"i": i})
			}
		})
	}
	group.Wait()
	mustClose(t, l)
	files, err := rotatedFiles(o.File)
	if err != nil || len(files) < 3 {
		t.Fatalf("rotated files %v, %v", files, err)
	}
	r := verify(t, VerifyOptions{}, append(files, o.File)...)
	wantOK(t, r, 800)
	seen := map[string]bool{}
	for _, file := range append(files, o.File) {
		for record, err := range Records(file) {
			if err != nil || seen[record.Request] {
				t.Fatalf("record %q twice, or %v", record.Request, err)
			}
			seen[record.Request] = true
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := bytes.Repeat([]byte("k"), minKey)
	keyed := filepath.Join(dir, "keyed.jsonl")
	l := mustOpen(t, Options{File: keyed, Key: key})
	appendN(t, l, 1)
	mustClose(t, l)
	foreign := filepath.Join(dir, "foreign.jsonl")
	if err := os.WriteFile(foreign, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		o    Options
		want string
	}{
		"no file":        {Options{}, "no file is named"},
		"no directory":   {Options{File: filepath.Join(dir, "none", "log.jsonl")}, "locking the log"},
		"a directory":    {Options{File: dir}, "not a regular file"},
		"another's file": {Options{File: foreign}, "not one that this log wrote"},
		"without key":    {Options{File: keyed}, "not one that this log wrote"},
		"other key":      {Options{File: keyed, Key: bytes.Repeat([]byte("x"), minKey)}, "not one that this log wrote"},
		"short key":      {Options{File: keyed, Key: []byte("k")}, "at least 32"},
		"empty key":      {Options{File: keyed, Key: []byte{}}, "at least 32"},
		"negative":       {Options{File: keyed, Keep: -1}, "must not be negative"},
		"sync":           {Options{File: keyed, Sync: 7}, "unknown way to sync"},
	} {
		l, err := Open(tt.o)
		if err == nil {
			_ = l.Close(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want …%s…", name, err, tt.want)
		}
	}
	mustClose(t, mustOpen(t, Options{File: keyed, Key: key})) // and no lock is left behind
}

func TestRecordIsBounded(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	l := mustOpen(t, o)
	long := strings.Repeat("ü", 5000)
	r := Record{
		Kind: KindCall, Tool: long, Findings: []Finding{{Check: "c", Pointer: "/" + long}}, Skipped: make([]string, 1000),
		Arguments: json.RawMessage(`"` + strings.Repeat("x", MaxArguments) + `"`), Roots: []string{"/srv"},
		Tools: []Tool{{Name: "t", Digest: "d", Definition: json.RawMessage(`"` + strings.Repeat("x", MaxArguments) + `"`)}},
	}
	if err := l.Append(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if len(r.Findings[0].Pointer) != len(long)+1 || r.Tools[0].Definition == nil {
		t.Error("the caller's record was changed")
	}
	if err := l.Append(t.Context(), Record{Kind: KindCall, Arguments: json.RawMessage(`{"hunter2`)}); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("arguments that are no JSON: %v", err)
	}
	mustClose(t, l)
	for got, err := range Records(o.File) {
		if err != nil {
			t.Fatal(err)
		}
		if got.Kind == KindLost {
			if got.Count != 1 {
				t.Errorf("%d lost, want 1", got.Count)
			}
			continue
		}
		if !got.Omitted || len(got.Tool) > maxText || !strings.HasSuffix(got.Tool, "ü…") || len(got.Findings[0].Pointer) > maxText ||
			len(got.Skipped) != maxList || got.Arguments != nil || got.Roots != nil || got.Tools[0].Definition != nil || got.Tools[0].Digest != "d" {
			t.Errorf("not bounded: %.2000v", got)
		}
	}
	wantOK(t, verify(t, VerifyOptions{}, o.File), 2)
}

func TestFindings(t *testing.T) {
	t.Parallel()
	got := Findings([]check.Finding{{
		Check: "path", Stage: check.Semantic, Level: check.SecurityLevel, Severity: check.Warning,
		Pointer: "/path\x1b[31m", Message: "must lie within /srv", Suggestion: "hunter2", Value: json.RawMessage(`"hunter2"`), Observed: true,
	}})
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"check":"path","code":"SEMANTIC","level":"security","severity":"warning","pointer":"/path�[31m","observed":true}]`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if Findings(nil) != nil {
		t.Error("no findings are not none")
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte("k"), minKey)
	arguments := map[string]any{"b": json.Number("1.0"), "a": "<x>"}
	o := testOptions(t)
	plain, keyed, again := mustOpen(t, o), mustOpen(t, Options{File: o.File + "k", Key: key}), mustOpen(t, Options{File: o.File + "l", Key: key})
	d := keyed.Digest(arguments)
	if d != again.Digest(map[string]any{"a": "<x>", "b": json.Number("1.0")}) || !strings.HasPrefix(d, "hmac-sha256:") {
		t.Errorf("equal arguments below the same key have digests %s and another", d)
	}
	if d == plain.Digest(arguments) || d == keyed.Digest(map[string]any{"b": json.Number("1"), "a": "<x>"}) {
		t.Error("different keys or arguments have the same digest")
	}
	if keyed.Digest(make(chan int)) != "" {
		t.Error("what is no JSON has a digest")
	}
}

func TestLoadKey(t *testing.T) {
	t.Parallel()
	write := func(text string, mode os.FileMode) string {
		name := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := strings.Repeat("0123456789abcdef", 4)
	if key, err := LoadKey(write(good+"\n", 0o600)); err != nil || string(key) != good {
		t.Errorf("%q, %v", key, err)
	}
	for _, name := range []string{write("short\n", 0o600), write("", 0o600), write(strings.Repeat("x", maxKey+1), 0o600), t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if key, err := LoadKey(name); err == nil {
			t.Errorf("%s: %q is a key", name, key)
		} else if strings.Contains(err.Error(), "short\n") {
			t.Error("the error repeats the key")
		}
	}
	if runtime.GOOS != "windows" {
		if _, err := LoadKey(write(good, 0o640)); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a key that a group may read: %v", err)
		}
	}
}
