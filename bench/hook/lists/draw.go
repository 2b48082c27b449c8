// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A line is one row of a list of harmless lines. The tests read only its text.
type line struct {
	Line string `json:"line"`
	Kind string `json:"kind"`
	From string `json:"from"` // repository and path
}

// A unit is what stays together: all lines of a page, of a table, or of one kind in a repository. No unit has lines in both halves, so that a
// change that suits the one half has not seen the other.
type unit struct {
	name  string
	lines []line
}

// draw reads the checkouts and draws two halves.
func draw(checkouts []string, seed uint64, want map[string]int, drop []string) (seen, hidden []line, err error) {
	units := map[string]map[string][]line{} // by kind and name
	for _, checkout := range checkouts {
		if err := walk(checkout, func(path string, text []byte) {
			for _, kind := range kinds() {
				r := readers[kind]
				if want[kind] == 0 || !r.reads(path) {
					continue
				}
				name := filepath.Base(checkout)
				if r.each {
					name += "/" + path
				}
				if units[kind] == nil {
					units[kind] = map[string][]line{}
				}
				for _, l := range r.lines(text) {
					units[kind][name] = append(units[kind][name], line{Line: l, Kind: kind, From: filepath.Base(checkout) + "/" + path})
				}
			}
		}); err != nil {
			return nil, nil, err
		}
	}
	taken := map[string]bool{}
	for _, kind := range kinds() {
		random := rand.New(rand.NewPCG(seed, uint64(len(kind))))
		var all []unit
		for _, name := range slices.Sorted(maps.Keys(units[kind])) {
			all = append(all, unit{name, units[kind][name]})
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var halves [2][]unit
		for i, u := range all {
			halves[i%2] = append(halves[i%2], u)
		}
		seen = append(seen, pick(random, halves[0], want[kind], taken)...)
		hidden = append(hidden, pick(random, halves[1], want[kind], taken)...)
	}
	for i := range drop {
		drop[i] = words(drop[i])
	}
	harm := func(l line) bool { return slices.Contains(drop, words(l.Line)) } // no other line comes in its place: nobody has read that one
	return slices.DeleteFunc(seen, harm), slices.DeleteFunc(hidden, harm), nil
}

// words is a text without its space.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// pick takes lines of the units in turn, so that a large repository is not most of the list.
func pick(random *rand.Rand, units []unit, want int, taken map[string]bool) (picked []line) {
	for i := range units {
		lines := units[i].lines
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	for left := true; left && len(picked) < want; {
		left = false
		for i := range units {
			for len(units[i].lines) > 0 && len(picked) < want {
				l := units[i].lines[0]
				units[i].lines = units[i].lines[1:]
				left = true
				if key := words(l.Line); key != "" && !taken[key] && fits(l.Line) {
					taken[key] = true
					picked = append(picked, l)
					break
				}
			}
		}
	}
	return picked
}

// fits tells whether a text is a line for a shell as a person or an agent writes it, and not what a template left over.
func fits(text string) bool {
	return utf8.ValidString(text) && len(text) <= 2000 && !strings.Contains(text, "{{") && !strings.Contains(text, "}}") && !strings.HasPrefix(text, "#") && !harmful.MatchString(text) && !operates.MatchString(text) && begins.MatchString(text) && whole(text)
}

// begins is how a line begins, and not the rest of another.
var begins = regexp.MustCompile(`^[A-Za-z0-9_./~$@({\[:]`)

// whole tells whether a shell can read a text: lines that documents and recipes spread over several are not.
func whole(text string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	return err == nil
}

// walk calls f with each file of a checkout that a reader knows.
func walk(root string, f func(path string, text []byte)) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(root, file)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		path = filepath.ToSlash(path)
		for _, r := range readers {
			if r.reads(path) {
				text, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				f(path, text)
				break
			}
		}
		return nil
	})
}

// texts reads a file of JSON texts; no file has none.
func texts(file string) ([]string, error) {
	var out []string
	if file == "" {
		return out, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := bufio.NewScanner(bytes.NewReader(raw))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var text string
		if err := json.Unmarshal(s.Bytes(), &text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, s.Err()
}

// write writes rows as lines of JSON.
func write[T any](file string, rows []T) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, r := range rows {
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(file, out.Bytes(), 0o600)
}
