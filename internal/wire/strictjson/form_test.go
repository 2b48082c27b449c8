// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile are texts of about n bytes whose forms are large.
var hostile = map[string]func(n int) string{
	"small maps":    func(n int) string { return list(`{"":0}`, n) },
	"empty maps":    func(n int) string { return list(`{}`, n) },
	"empty lists":   func(n int) string { return list(`[]`, n) },
	"nested lists":  func(n int) string { return list(`[[[[[[[[]]]]]]]]`, n) },
	"zeros":         func(n int) string { return list(`0`, n) },
	"numbers":       func(n int) string { return list(`12345`, n) },
	"fractions":     func(n int) string { return list(`0.5`, n) },
	"short strings": func(n int) string { return list(`"ab"`, n) },
	"empty strings": func(n int) string { return list(`""`, n) },
	"strings":       func(n int) string { return list(`"abcdef"`, n) },
	"maps of nine":  func(n int) string { return list(`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0}`, n) },
	"keys": func(n int) string {
		var b strings.Builder
		b.WriteString(`{"":0`)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `,"%d":0`, i)
		}
		return b.String() + "}"
	},
	"one string": func(n int) string { return `"` + strings.Repeat("a", n) + `"` },
}

func list(one string, n int) string { return "[" + strings.Repeat(one+",", n/(len(one)+1)) + one + "]" }

// live returns the bytes of the heap that are in use, and all that were ever allocated.
func live() (now, ever uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.TotalAlloc
}

// TestForm holds that a value takes no more memory than FormBound says, also before it is refused, with
// a quarter for the free ends of lists and maps that grow.
func TestForm(t *testing.T) {
	for name, text := range hostile {
		for _, n := range []int{1 << 10, 100 << 10, 1 << 20, 15 << 20} {
			data := []byte(text(n))
			bound := uint64(FormBound(len(data)))
			before, allocated := live()
			v, err := Parse(data, Limits{Bytes: len(data)})
			now, ever := live()
			fault, ok := errors.AsType[*Error](err)
			switch {
			case err == nil && now > before && now-before > bound*5/4+4096:
				t.Errorf("%s: %d bytes take %d (%d times as much), more than %d", name, len(data), now-before, (now-before)/uint64(len(data)), bound)
			case err != nil && (!ok || fault.Kind != TooLarge || !strings.Contains(fault.Rule, "Send less at once")):
				t.Errorf("%s: %v", name, err)
			case ever-allocated > 6*bound+1<<20: // with what a growing list leaves behind
				t.Errorf("%s: %d bytes allocate %d, more than six times %d", name, len(data), ever-allocated, bound)
			}
			runtime.KeepAlive(v)
			runtime.KeepAlive(data)
		}
	}
}

// TestFormOfHonestTexts holds that texts of an honest size and kind are read.
func TestFormOfHonestTexts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"small maps":        hostile["small maps"](100 << 10),
		"points":            list(`{"x":1.25,"y":2.5}`, 300<<10),
		"rows":              list(`{"id":"5f1d7a3e-9a4b-4c0e-8a55-3f3b0d5c2f11","name":"Ada Lovelace","mail":"ada@example.org","born":"1815-12-10","notes":"wrote the first program, for a machine that was never built"}`, 4<<20),
		"a million numbers": list(`0.1234`, 7<<20),
		"one string":        hostile["one string"](15 << 20),
	} {
		if _, err := Parse([]byte(text), Limits{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFormOfParts holds the bound for Members and Elements.
func TestFormOfParts(t *testing.T) {
	t.Parallel()
	if _, err := Members([]byte(hostile["keys"](15<<20)), Limits{}); err == nil {
		t.Error("an object with two million members is read")
	}
	if _, err := Elements([]byte(hostile["zeros"](15<<20)), Limits{}); err == nil {
		t.Error("a list with seven million elements is read")
	}
	if _, err := Members([]byte(`{"params":`+hostile["small maps"](15<<20)+`}`), Limits{}); err != nil {
		t.Errorf("what is not built counts: %v", err)
	}
}
