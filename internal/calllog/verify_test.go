// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// smallLog makes a log of n records, and returns its text and the options to verify it.
func smallLog(t *testing.T, n int, key []byte) (string, []byte) {
	t.Helper()
	o := testOptions(t)
	o.Key = key
	l := mustOpen(t, o)
	for i := range n {
		if err := l.Append(t.Context(), Record{Kind: KindCall, Tool: "fetch", Request: fmt.Sprint(i), Verdict: Go}); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, l)
	return o.File, read(t, o.File)
}

func rewrite(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEveryByteCounts changes, removes and doubles each byte of a log.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	for name, key := range map[string][]byte{"plain": nil, "key": bytes.Repeat([]byte("k"), minKey)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, text := smallLog(t, 3, key)
			o := VerifyOptions{Key: key}
			wantOK(t, verify(t, o, file), 3)
			for i := range text {
				for how, changed := range map[string][]byte{
					"a bit":   slices.Concat(text[:i], []byte{text[i] ^ 1}, text[i+1:]),
					"case":    slices.Concat(text[:i], []byte{text[i] ^ 0x20}, text[i+1:]),
					"high":    slices.Concat(text[:i], []byte{text[i] ^ 0x80}, text[i+1:]),
					"newline": slices.Concat(text[:i], []byte("\n"), text[i+1:]),
					"removed": slices.Concat(text[:i], text[i+1:]),
					"doubled": slices.Concat(text[:i], text[i:i+1], text[i:]),
				} {
					if bytes.Equal(changed, text) {
						continue
					}
					rewrite(t, file, changed)
					if r := verify(t, o, file); r.OK() {
						t.Fatalf("byte %d (%q) %s: not found", i, text[i], how)
					}
				}
			}
		})
	}
}

// TestCutAtTheEnd: as documented, the file of the head or a noted hash reveals a cut at the end of a line, and nothing else.
func TestCutAtTheEnd(t *testing.T) {
	t.Parallel()
	file, text := smallLog(t, 4, nil)
	head := verify(t, VerifyOptions{}, file).Chains[0].Head
	wantOK(t, verify(t, VerifyOptions{Expect: head}, file), 4)
	lines := bytes.SplitAfter(text, []byte("\n"))
	rewrite(t, file, bytes.Join(lines[:3], nil))
	if r := verify(t, VerifyOptions{}, file); r.OK() || !strings.Contains(r.Faults[0].String(), "records 4 to 4 are missing") {
		t.Errorf("faults %v", r.Faults)
	}
	removeHead(t, Options{File: file})
	wantOK(t, verify(t, VerifyOptions{}, file), 3)
	if r := verify(t, VerifyOptions{Expect: head}, file); r.OK() || !strings.Contains(r.Faults[0].String(), "cut off") {
		t.Errorf("faults %v", r.Faults)
	}
	for i := range text[:len(text)-1] {
		rewrite(t, file, text[:i])
		if r := verify(t, VerifyOptions{}, file); r.OK() && (i == 0 || text[i-1] != '\n') {
			t.Fatalf("cut at byte %d: not found", i)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	_, text := smallLog(t, 6, nil)
	_, other := smallLog(t, 6, nil)
	l, foreign := bytes.SplitAfter(text, []byte("\n")), bytes.SplitAfter(other, []byte("\n"))
	change := bytes.Replace(l[2], []byte("fetch"), []byte("fetcH"), 1)
	long := append(bytes.Repeat([]byte("x"), maxLine), '\n')
	resealed, _ := appendLine(nil, []byte(`{"kind":"call"}`), mustLink(t, l[1]), newHash(nil)) // a forger without the rest
	for name, tt := range map[string]struct {
		lines [][]byte
		want  []string
	}{
		"whole":              {l, nil},
		"changed":            {[][]byte{l[0], l[1], change, l[3]}, []string{"3: this line was changed"}},
		"resealed":           {[][]byte{l[0], l[1], resealed, l[3]}, []string{"4: record 4 does not follow the record 3 before it"}},
		"removed":            {[][]byte{l[0], l[1], l[4], l[5]}, []string{"3: records are missing before this line: it is number 5, and the last is 2"}},
		"inserted":           {[][]byte{l[0], []byte("{}\n"), l[1]}, []string{"2: this line is not a record"}},
		"an empty line":      {[][]byte{l[0], []byte("\n"), l[1]}, []string{"2: this line is not a record"}},
		"long":               {[][]byte{l[0], long, l[1]}, []string{"2: this line is longer than"}},
		"of another log":     {[][]byte{l[0], foreign[1], l[2]}, []string{"2: this line belongs to another log", "3: this line belongs to another log"}},
		"swapped":            {[][]byte{l[0], l[2], l[1], l[3]}, []string{"2: records are missing", "3: record 2 stands here after record 3", "4: records are missing"}},
		"doubled":            {[][]byte{l[0], l[1], l[1], l[2]}, []string{"3: record 2 stands here after record 2"}},
		"the first changed":  {[][]byte{change, l[3], l[4]}, []string{"1: this line was changed"}},
		"torn":               {[][]byte{l[0], l[1][:20]}, []string{"2: this line is torn"}},
		"carriage returns":   {[][]byte{bytes.Replace(l[0], []byte("\n"), []byte("\r\n"), 1)}, []string{"1: this line is not a record", "there are no records"}},
		"a byte order mark":  {[][]byte{append([]byte("\ufeff"), l[0]...), l[1]}, []string{"1: this line is not a record"}},
		"nothing":            {nil, []string{"there are no records"}},
		"begins in between":  {l[3:], nil},
		"falsified no JSON":  {[][]byte{first(`{"kind":}`)}, []string{"1: this line is not a record", "there are no records"}},
		"first with a prev":  {[][]byte{forge(link{chain: strings.Repeat("a", chainDigits), hash: strings.Repeat("a", hashDigits)})}, []string{"1: this line is the first record, but names one before it"}},
		"of nothing but NUL": {[][]byte{l[0], make([]byte, 4096)}, []string{"2: this line is torn"}},
	} {
		file := filepath.Join(t.TempDir(), "log.jsonl")
		rewrite(t, file, bytes.Join(tt.lines, nil))
		r := verify(t, VerifyOptions{}, file)
		ok := len(r.Faults) == len(tt.want) && r.FaultCount == len(tt.want)
		for i := range min(len(r.Faults), len(tt.want)) {
			ok = ok && strings.HasPrefix(strings.TrimPrefix(r.Faults[i].String(), file+":"), tt.want[i])
		}
		if !ok {
			t.Errorf("%s: faults %v, want %v", name, r.Faults, tt.want)
		}
	}
}

// TestCutOffAndContinued: a log that somebody cut off is told from one that a crash ended.
func TestCutOffAndContinued(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, o Options) {
		t.Helper()
		l := mustOpen(t, o)
		for _, kind := range []Kind{KindStart, KindCall, KindStop} {
			if err := l.Append(t.Context(), Record{Kind: kind}); err != nil {
				t.Fatal(err)
			}
		}
		mustClose(t, l)
	}
	cut := func(t *testing.T, o Options) {
		text := read(t, o.File)
		rewrite(t, o.File, bytes.TrimSuffix(text, lastLine(text)))
	}
	earlier := func(t *testing.T, o Options) { // the head of the log as it was cut, without the key
		at, _, ok := splitLine(lastLine(read(t, o.File)))
		if !ok {
			t.Fatal("no link")
		}
		rewrite(t, o.File+headSuffix, []byte(headLine(at, newHash(nil))))
	}
	for _, tt := range []struct {
		name    string
		key     string
		harm    []func(*testing.T, Options)
		opens   string // the error
		faults  int    // of verify, before the log goes on, and after
		after   int
		crashes int
	}{
		{name: "whole"},
		{name: "crash", harm: []func(*testing.T, Options){cut, earlier}, crashes: 1}, // no key: who writes to both files can
		{name: "cut", harm: []func(*testing.T, Options){cut}, opens: "records 6 to 6 are missing at the end", faults: 1},
		{name: "cut, no head", harm: []func(*testing.T, Options){cut, removeHead}, after: 1, crashes: 1},
		{name: "cut, with a key", key: strings.Repeat("k", 32), harm: []func(*testing.T, Options){cut}, opens: "records 6 to 6 are missing", faults: 1},
		{name: "cut, the head forged without the key", key: strings.Repeat("k", 32), harm: []func(*testing.T, Options){cut, earlier}, faults: 1, after: 1, crashes: 1},
		{name: "cut at a stop record, no head", harm: []func(*testing.T, Options){cut, cut, cut, removeHead}, after: 1, crashes: 1},
		{name: "words behind the head", harm: []func(*testing.T, Options){func(t *testing.T, o Options) {
			rewrite(t, o.File+headSuffix, append(read(t, o.File+headSuffix), 'x'))
		}}, faults: 1, after: 1, crashes: 1},
		{name: "cut within the first record", harm: []func(*testing.T, Options){func(t *testing.T, o Options) {
			rewrite(t, o.File, read(t, o.File)[:20])
		}}, faults: 2, after: 1, crashes: 1},
		{name: "empty head", harm: []func(*testing.T, Options){cut, func(t *testing.T, o Options) { rewrite(t, o.File+headSuffix, nil) }}, faults: 1, after: 1, crashes: 1},
		{name: "moved away", harm: []func(*testing.T, Options){func(t *testing.T, o Options) {
			if err := os.Rename(o.File, o.File+".old"); err != nil {
				t.Fatal(err)
			}
		}}, faults: -1},
		{name: "the last record replaced", harm: []func(*testing.T, Options){func(t *testing.T, o Options) {
			lines := bytes.SplitAfter(bytes.TrimSuffix(read(t, o.File), lastLine(read(t, o.File))), []byte("\n"))
			before := mustLink(t, lines[len(lines)-2])
			line, _ := appendLine(nil, []byte(`{"time":"2026-11-21T07:00:00Z","kind":"stop","request":"x"}`), before, newHash(nil))
			rewrite(t, o.File, append(bytes.Join(lines, nil), line...))
		}}, opens: "somebody replaced it", faults: 1},
		{name: "another log", harm: []func(*testing.T, Options){func(t *testing.T, o Options) {
			other := testOptions(t)
			run(t, other)
			rewrite(t, o.File, read(t, other.File))
		}}, opens: "is not the log that", faults: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := testOptions(t)
			var v VerifyOptions
			if tt.key != "" {
				o.Key, v.Key = []byte(tt.key), []byte(tt.key)
			}
			run(t, o)
			run(t, o)
			if r := verify(t, v, o.File); !r.OK() || r.Chains[0].Crashes != 0 {
				t.Errorf("a whole log: %+v", r)
			}
			for _, do := range tt.harm {
				do(t, o)
			}
			if tt.faults >= 0 {
				if r := verify(t, v, o.File); r.FaultCount != tt.faults {
					t.Errorf("verify finds %+v, want %d faults", r.Faults, tt.faults)
				}
			}
			l, err := Open(o)
			if tt.opens != "" {
				if err == nil || !strings.Contains(err.Error(), tt.opens) {
					t.Errorf("Open: %v, want %q", err, tt.opens)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Append(t.Context(), Record{Kind: KindStart}); err != nil {
				t.Fatal(err)
			}
			mustClose(t, l)
			if r := verify(t, v, o.File); r.FaultCount != tt.after || r.Chains[0].Crashes != tt.crashes {
				t.Errorf("after it went on, verify finds %+v, want %d faults and %d crashes", r, tt.after, tt.crashes)
			}
		})
	}
}

func removeHead(t *testing.T, o Options) {
	t.Helper()
	if err := os.Remove(o.File + headSuffix); err != nil {
		t.Fatal(err)
	}
}

func mustLink(t *testing.T, line []byte) link {
	t.Helper()
	at, err := readLink(line, newHash(nil))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func first(body string) []byte {
	line, _ := appendLine(nil, []byte(body), link{chain: strings.Repeat("a", chainDigits), hash: genesis}, newHash(nil))
	return line
}

func forge(after link) []byte {
	line, _ := appendLine(nil, []byte(`{"kind":"call"}`), after, newHash(nil))
	return line
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	rewrite(t, file, bytes.Repeat([]byte("x\n"), 10_000))
	if r := verify(t, VerifyOptions{}, file); len(r.Faults) != maxFaults || r.FaultCount != 10_001 {
		t.Errorf("%d faults, %d counted", len(r.Faults), r.FaultCount)
	}
}

// TestKeyKeepsForgersOut rewrites a log without its key.
func TestKeyKeepsForgersOut(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte("k"), minKey)
	file, text := smallLog(t, 3, key)
	if r := verify(t, VerifyOptions{}, file); r.OK() {
		t.Error("a log with a key is verified without it")
	}
	var forged []byte
	after := link{chain: strings.Repeat("a", chainDigits), hash: genesis}
	for line := range bytes.Lines(text) {
		_, hashed, _ := splitLine(line)
		body := append(bytes.Replace(line[:hashed:hashed], []byte(`"go"`), []byte(`"no-go"`), 1), '}')
		body = append(body[:bytes.Index(body, []byte(`,"chain":"`))], '}')
		forged, after = appendLine(forged, body, after, newHash(nil))
	}
	rewrite(t, file, forged)
	if r := verify(t, VerifyOptions{}, file); r.FaultCount != 1 { // the head has the key
		t.Errorf("faults %v, want one of the head", r.Faults)
	}
	removeHead(t, Options{File: file})
	wantOK(t, verify(t, VerifyOptions{}, file), 3) // a plain chain proves nothing against a writer
	if r := verify(t, VerifyOptions{Key: key}, file); r.FaultCount != 4 {
		t.Errorf("faults %v, want each line and that there is no record", r.Faults)
	}
}

func TestRotatedFiles(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.MaxBytes = 1
	l := mustOpen(t, o)
	appendN(t, l, 5)
	mustClose(t, l)
	rotated, err := rotatedFiles(o.File)
	if err != nil || len(rotated) != 4 || filepath.Base(rotated[3]) != "log-000000000004.jsonl" {
		t.Fatalf("rotated %v, %v", rotated, err)
	}
	all := append(slices.Clone(rotated), o.File)
	mixed := []string{all[3], all[0], all[4], all[2], all[1]}
	r := verify(t, VerifyOptions{}, mixed...)
	wantOK(t, r, 5)
	if !slices.Equal(r.Chains[0].Files, all) {
		t.Errorf("files %v, want %v", r.Chains[0].Files, all)
	}
	if r := verify(t, VerifyOptions{}, rotated[1:]...); !r.OK() || r.Chains[0].FirstSeq != 2 {
		t.Errorf("without the oldest: %+v", r)
	}
	if r := verify(t, VerifyOptions{}, all[0], all[1], all[3], all[4]); r.FaultCount != 1 || r.Faults[0].File != all[3] {
		t.Errorf("without the middle: %v", r.Faults)
	}
	if r := verify(t, VerifyOptions{}, append(mixed, all[2])...); r.OK() {
		t.Error("a file that is given twice is not noticed")
	}
}

func TestVerifyErrors(t *testing.T) {
	t.Parallel()
	file, _ := smallLog(t, 2, nil)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	big := filepath.Join(t.TempDir(), "big")
	rewrite(t, big, bytes.Repeat([]byte("\n"), 5000))
	for name, run := range map[string]func() (Report, error){
		"no file":     func() (Report, error) { return Verify(t.Context(), VerifyOptions{}) },
		"missing":     func() (Report, error) { return Verify(t.Context(), VerifyOptions{}, file, file+"x") },
		"a directory": func() (Report, error) { return Verify(t.Context(), VerifyOptions{}, filepath.Dir(file)) },
		"a short key": func() (Report, error) { return Verify(t.Context(), VerifyOptions{Key: []byte("k")}, file) },
		"canceled":    func() (Report, error) { return Verify(canceled, VerifyOptions{}, big) },
	} {
		if r, err := run(); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestRecordsGoOn(t *testing.T) {
	t.Parallel()
	file, text := smallLog(t, 2, nil)
	l := bytes.SplitAfter(text, []byte("\n"))
	rewrite(t, file, slices.Concat(l[0], []byte("{}\n"), l[1], []byte("{")))
	var got []string
	for r, err := range Records(file) {
		if err != nil {
			got = append(got, strings.TrimPrefix(err.Error(), "calllog: "+file))
			continue
		}
		got = append(got, r.Request)
	}
	want := []string{"0", ":2: this line is not a record of a log of calls", "1", ":4: this line is torn: it has no line feed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, err := range Records(file + "x") {
		if !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
}

// TestByHand verifies a log with the commands in docs/log.md.
func TestByHand(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "sed", "sha256sum", "jq", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" && tool != "jq" { // which .ci/run does not install
				t.Fatal(err)
			}
			t.Skipf("no %s here", tool)
		}
	}
	const key = "0123456789abcdef0123456789abcdef"
	plain, text := smallLog(t, 3, nil)
	keyed, _ := smallLog(t, 3, []byte(key))
	sh := func(script string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), "sh", append([]string{"-euc", script, "sh"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	const cut = `sed -n 2p "$1" | sed 's/,"hash":"[0-9a-f]*"}$/}/' | `
	member := func(file, name, line string) string {
		return sh(`sed -n "$3p" "$1" | jq -r ".$2"`, file, name, line)
	}
	if got := sh(cut+`sha256sum | cut -d' ' -f1`, plain); got != member(plain, "hash", "2") || got != member(plain, "prev", "3") {
		t.Errorf("hash %s of\n%s", got, text)
	}
	if got := sh(cut+`openssl dgst -sha256 -hmac "$2" -r | cut -d' ' -f1`, keyed, key); got != member(keyed, "hash", "2") {
		t.Errorf("HMAC %s, want %s", got, member(keyed, "hash", "2"))
	}
}

// FuzzReadLink: in a line with a right hash, a JSON reader finds the same link as readLink. No line causes a failure.
func FuzzReadLink(f *testing.F) {
	valid := forge(link{chain: strings.Repeat("a", chainDigits), seq: 41, hash: fmt.Sprintf("%x", sha256.Sum256(nil))})
	f.Add(string(valid))
	f.Add(string(first(`{"a":"\",\"hash\":\"","hash":1}`)))
	f.Add(`{"chain":"","seq":0,"prev":"","hash":""}` + "\n")
	f.Add("\"}\n")
	f.Fuzz(func(t *testing.T, line string) {
		at, err := readLink([]byte(line), newHash(nil))
		if err != nil {
			return
		}
		again, next := appendLine(nil, []byte(line[:strings.LastIndex(line, `,"chain":"`)]+"}"), link{chain: at.chain, seq: at.seq - 1, hash: at.prev}, newHash(nil))
		if string(again) != line || next != at {
			t.Errorf("%q is read as %+v, which is written as %q", line, at, again)
		}
	})
}

// FuzzVerify: a log with additions at its end, at its beginning or in its middle is read within bounds, and never
// found to be whole.
func FuzzVerify(f *testing.F) {
	log := first(`{"kind":"call"}`)
	for range 3 {
		at, _, _ := splitLine(lastLine(log))
		log = append(log, forge(at)...)
	}
	f.Add("x", 0)
	f.Add("{}\n", 100)
	f.Add("\x00", 1000)
	f.Add(string(first("{}")), 0)
	f.Fuzz(func(t *testing.T, insert string, at int) {
		if at < 0 || at > len(log) || insert == "" {
			return
		}
		file := filepath.Join(t.TempDir(), "log.jsonl")
		rewrite(t, file, slices.Concat(log[:at], []byte(insert), log[at:]))
		r, err := Verify(t.Context(), VerifyOptions{}, file)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, sealed := splitLine([]byte(insert)); r.OK() && !(at == len(log) && sealed) && !(at == 0 && sealed) {
			t.Errorf("%q at %d is not found", insert, at)
		}
	})
}

func lastLine(text []byte) []byte {
	return text[bytes.LastIndexByte(text[:len(text)-1], '\n')+1:]
}

func BenchmarkVerify(b *testing.B) {
	file := filepath.Join(b.TempDir(), "log.jsonl")
	body := &bytes.Buffer{}
	if err := sample(1).encode(body); err != nil {
		b.Fatal(err)
	}
	var text []byte
	at := link{chain: strings.Repeat("a", chainDigits), hash: genesis}
	for len(text) < 8<<20 {
		text, at = appendLine(text, body.Bytes(), at, newHash(nil))
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Verify(b.Context(), VerifyOptions{}, file); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
}

// FuzzReadHead holds that a head that is read is the one that was written.
func FuzzReadHead(f *testing.F) {
	at := link{chain: strings.Repeat("a", chainDigits), seq: 7, hash: strings.Repeat("b", hashDigits)}
	f.Add([]byte(headLine(at, newHash(nil))))
	f.Add([]byte(headLine(link{chain: "x y", hash: "z"}, newHash(nil))))
	f.Add([]byte("a 1 b c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(name+headSuffix, text, 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := readHead(name, newHash(nil))
		if err != nil && !errors.Is(err, errForeignHead) {
			t.Fatal(err)
		}
		if (at == nil) != (err != nil) || at != nil && headLine(*at, newHash(nil)) != string(text) {
			t.Fatalf("read %+v from %q", at, text)
		}
	})
}
