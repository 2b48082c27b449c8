// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/packed/packedtest"
)

var update = flag.Bool("update", false, "write patterns/index.txt")

// A patternFile is a file of patterns.
type patternFile struct {
	Allow        []Allow   `json:"allow"`         // for all patterns
	AllowGeneric []Allow   `json:"allow_generic"` // for those that know no issuer
	Patterns     []Pattern `json:"patterns"`
}

func readFile(t testing.TB, text string) (f patternFile) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPacked holds that the package has the patterns of the files.
func TestPacked(t *testing.T) {
	t.Parallel()
	packedtest.Same(t, "patterns/vendored.json", vendored())
	packedtest.Same(t, "patterns/own.json", own())
	packedtest.Same(t, "patterns/index.txt", index())
}

// TestIndex holds that the index has every pattern of the files, with the words that their expressions are looked for by, and that
// all of it can be used.
func TestIndex(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	uses, n := map[string][]use{}, 0
	for _, file := range []struct{ name, text string }{{"vendored", vendored()}, {"own", own()}} {
		places := spansOf(t, file.text)
		line := func(kind string, at [2]int) { fmt.Fprintf(&want, "%s\t%s\t%d\t%d\n", kind, file.name, at[0], at[1]) }
		content := readFile(t, file.text)
		if content.Allow != nil {
			line("all", places["allow"][0])
		}
		if content.AllowGeneric != nil {
			line("generic", places["allow_generic"][0])
		}
		for i, r := range content.Patterns {
			c, err := compile(r)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.places) == 0 {
				t.Errorf("the pattern %s has no words: it would be applied to every text as a whole", r.ID)
			}
			for _, q := range r.Require {
				if !slices.ContainsFunc(content.Patterns, func(r Pattern) bool { return r.ID == q.ID }) {
					t.Errorf("the pattern %s requires %s, which is not in its file", r.ID, q.ID)
				}
			}
			c.addUses(uses, n)
			line("pattern\t"+r.ID, places["patterns"][i])
			n++
		}
	}
	for _, w := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(&want, "word\t%q", w)
		for _, u := range uses[w] {
			if u.place == keyword {
				fmt.Fprintf(&want, "\t%d", u.pattern)
			} else {
				fmt.Fprintf(&want, "\t%d %d", u.pattern, u.place)
			}
		}
		want.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile("patterns/index.txt", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want.String() != index() {
		t.Fatal("the index is not that of the patterns: go test ./internal/secrets -run TestIndex -update writes it")
	}
	for i, ready := range builtin().patterns {
		if id := builtin().ids[i]; ready().ID != id {
			t.Errorf("the pattern %s is found in the place of %s", ready().ID, id)
		}
	}
	if got := allows(); len(got.all) == 0 || len(got.generic) <= len(got.all) {
		t.Error("look-alikes are missing")
	}
}

// spansOf returns where the values of the keys of a file stand: for "patterns" each of them.
func spansOf(t *testing.T, text string) map[string][][2]int {
	t.Helper()
	places := map[string][][2]int{}
	d := json.NewDecoder(strings.NewReader(text))
	token := func() json.Token {
		x, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	value := func(key string) {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		end := int(d.InputOffset())
		places[key] = append(places[key], [2]int{end - len(raw), end})
	}
	for token(); d.More(); {
		key, _ := token().(string)
		if key != "patterns" {
			value(key)
			continue
		}
		for token(); d.More(); {
			value(key)
		}
		token()
	}
	token()
	if _, err := d.Token(); err != io.EOF {
		t.Fatal("a file of patterns goes on behind its end")
	}
	return places
}
