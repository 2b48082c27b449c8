// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package grammar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/packed/packedtest"
)

func TestTable(t *testing.T) {
	t.Parallel()
	packedtest.Same(t, "programs.txt", table())
	if _, err := parse(table()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"value -a":                         "programs.txt:1: the first line must begin with program",
		"program a: gnu":                   `programs.txt:1: "gnu" is no style`,
		"program a\n\nsub b: x":            `programs.txt:3: "x" is no style`,
		"program a\nprogram b a":           "programs.txt:2: a stands here twice",
		"program a\n# text\nrun -exec=<x>": `programs.txt:3: "run" is no kind`,
	} {
		if _, err := parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"python3.12": "python", "gtar": "tar", "7z": "7z", "lua5.1": "lua"} {
		if p := Lookup(name); p == nil || p.Names[0] != want {
			t.Errorf("%s: got %v, want %s", name, p, want)
		}
	}
	if p := Lookup("frobnicate"); p != nil {
		t.Errorf("got %v for a program that is not in the table", p)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	programs, err := parse(`
program gnu
value -o --output --level
flag -v
runs -I= --filter= -O[=] --open[=] +<x>
program sub: alone
value -C
runs -c=
sub clone
runs -c= --upload=
program go: words dashes exact stops
runs -exec= @
sub run: stops
fetches 1
program env: starts variables
value -u
program py: stops
flag -q
value -W
code -c=
module -m
program ps: fold words
line -command>>
`)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"gnu -vIx a":                "-v@1 -I=x@1 operands 2",
		"gnu -voI x":                "-v@1 -o=I@1 operands 2",
		"gnu --fil x --lev 3 -- -I": "--filter=x@1 --level=3@3 operands 6",
		"gnu -o -I x":               "-o=-I@1 -I=x@2 operands",
		"gnu -O a -Ob --op=c":       "-O@1 -O=b@3 --open=c@4 operands 2",
		"gnu +12 a":                 "+=12@1 operands 2",
		"sub -C d clone -cx --up y": "-C=d@1 -c=x@4 --upload=y@5 operands 3 sub clone",
		"sub commit -c x":           "operands 1 3",
		"sub --frob x clone -c y":   "-c=y@4 operands 2 3 sub clone",
		"go --exec x @f run a b":    "-exec=x@1 @=f@3 1=a@5 operands 4 5 6 sub run",
		"go -ex y a -exec z":        "operands 2 3 4 5",
		"env -u X A=b ls -u":        "-u=X@1 operands 4 started 4",
		"py -q a.py -c x":           "-q@1 operands 2 3 4",
		"py -W i -c x":              "-W=i@1 -c=x@3 operands",
		"py --frob a -c x":          "-c=x@3 operands 2",
		"py -mpip install x":        "-m=pip@1 operands module pip install x",
		"ps /COMM a b":              "-command=a b@1 operands",
	} {
		words := strings.Fields(line)
		if got := show(programs[words[0]].Read(words)); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func show(r *Reading) string {
	var b strings.Builder
	for _, u := range r.Uses {
		b.WriteString(u.Name)
		if u.Value != "" {
			b.WriteString("=" + u.Value)
		}
		fmt.Fprintf(&b, "@%d ", u.Word)
	}
	b.WriteString("operands")
	for _, i := range r.Operands {
		fmt.Fprintf(&b, " %d", i)
	}
	if r.Sub != "" {
		b.WriteString(" sub " + r.Sub)
	}
	if r.Started > 0 {
		fmt.Fprintf(&b, " started %d", r.Started)
	}
	if len(r.Module) > 0 {
		b.WriteString(" module " + strings.Join(r.Module, " "))
	}
	return b.String()
}

// FuzzRead holds that every word is read once at most, in order, whatever the words are.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"-I x", "--fil=x -- a", "-m m -m", "clone -c", "+ @ / - -- =", "/cdir", "A=b env", "-ccc é", "x\xff", "-C\xe9\xe1"} {
		f.Add(seed)
	}
	names := slices.Sorted(maps.Keys(Programs()))
	f.Fuzz(func(t *testing.T, line string) {
		for _, name := range names {
			words := append([]string{name}, strings.Split(line, " ")...)
			r := Lookup(name).Read(words)
			if !slices.IsSorted(r.Operands) || len(slices.Compact(slices.Clone(r.Operands))) < len(r.Operands) || r.Started >= len(words) {
				t.Errorf("%q: %s", words, show(r))
			}
			for _, u := range r.Uses {
				if u.Word < 1 || u.Word >= len(words) {
					t.Errorf("%q: %s", words, show(r))
				}
			}
		}
	})
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		if _, err := parse(table()); err != nil {
			b.Fatal(err)
		}
	}
}
