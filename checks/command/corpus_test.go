// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

type row struct {
	Input         any
	Class, Expect string
}

// listed are the programs of the benign rows: the labels take them to be allowed.
func listed(rows []row) []string {
	names := make(map[string]bool)
	for _, r := range rows {
		if r.Expect != "accept" {
			continue
		}
		switch input := r.Input.(type) {
		case string:
			for _, s := range (&judge{compiled: new(Options).compile()}).read(input) {
				if len(s.words) > 0 {
					names[s.words[0]] = true
				}
			}
		case []any:
			names[input[0].(string)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func refused(o *Options, input any) bool {
	return slices.ContainsFunc(o.judge(input), func(f check.Finding) bool { return f.Severity == check.Error })
}

// TestCorpus holds that with the programs of the benign rows listed every attack is
// refused, and at most one in a thousand of the benign.
func TestCorpus(t *testing.T) {
	t.Parallel()
	rows := corpora.Read[row](t, "commands")
	for name, o := range map[string]*Options{"listed": {Programs: listed(rows)}, "no policy": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rowsOf, refusedOf := make(map[string]int), make(map[string]int)
			benign, missed := 0, 0
			var score corpora.Score
			defer func() { t.Log(&score) }()
			for _, r := range rows {
				key := r.Expect + " " + r.Class
				rowsOf[key]++
				no := refused(o, r.Input)
				score.Add(r.Expect, no)
				if no {
					refusedOf[key]++
				}
				switch {
				case r.Expect == "reject" && !no:
					t.Errorf("passes: %s %q", r.Class, r.Input)
				case r.Expect == "accept":
					benign++
					if no {
						missed++
						t.Logf("refused: %s %q", r.Class, r.Input)
					}
				}
			}
			if name == "listed" && missed*1000 > benign {
				t.Errorf("%d of %d benign rows are refused", missed, benign)
			}
			for _, key := range slices.Sorted(maps.Keys(rowsOf)) {
				t.Logf("%-50s %4d of %4d refused", key, refusedOf[key], rowsOf[key])
			}
		})
	}
}

// FuzzPlainWords holds that the reader of plain lines and the parser agree.
func FuzzPlainWords(f *testing.F) {
	for _, seed := range []string{"git log -1", `a "b c"'d' e`, `""`, "a  \tb", "x=1 y", "if a", "é ü", "a'b'c\"d\"", "let x", "!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, plain := plainWords(text)
		if !plain || !readable(text) {
			t.Skip()
		}
		j := &judge{compiled: new(Options).compile()}
		commands := j.parse(text)
		if len(j.faults) > 0 || len(commands) != 1 || !slices.Equal(commands[0].words, words) {
			t.Errorf("%q: plain %q, parsed %v with %v", text, words, commands, j.faults)
		}
	})
}

// readable reports whether a line is not refused before it is read.
func readable(text string) bool {
	j := &judge{compiled: new(Options).compile()}
	return j.characters(-1, text, true)
}

// FuzzJudge holds that no line passes with a character outside quotes that any shell acts on, and
// that nothing fails.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"ls; id", "ls $(id)", "a 'b;c'", `a "b\"; c"`, "ls\nid", "ls `id`", "{a,b}", "timeout 5 sh -c 'x'", "git -c a=b c", "sed s/a/b/e", "env -S x", "trap 'a;b' X", "<<a", "a[$(x)]=1", "((", "ls %0aid", "s|||;s|"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, shell := range shells[2:] {
			refused(&Options{Shell: shell}, text)
		}
		refused(&Options{Allow: allowable}, text)
		array := make([]any, 0, 8)
		for _, w := range strings.Split(text, " ") {
			array = append(array, w)
		}
		refused(new(Options), array)
		active := strings.ContainsAny(text, ";|&<>`\n*?\\") || strings.Contains(text, "$(") || strings.Contains(text, "${")
		if active && !strings.ContainsAny(text, `'"`) && !refused(new(Options), text) {
			t.Errorf("passes: %q", text)
		}
	})
}
