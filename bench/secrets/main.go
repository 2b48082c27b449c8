// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Secrets compares package secret with gitleaks and betterleaks, the sources of its patterns, in one run:
//
//	go run -C bench/secrets . -corpus ../../../shared/corpora/secrets.jsonl.gz
//
// It prints the speed of each in results of tools. Given a corpus, it also prints the number of samples in which each
// finds something. It is a module of its own, so that toolvet does not depend on its competitors.
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	betterleaks "github.com/betterleaks/betterleaks/detect"
	gitleaks "github.com/zricethezav/gitleaks/v8/detect"

	"github.com/toolvet/toolvet/scan/secret"
)

// A detector counts the secrets in a text.
type detector struct {
	name string
	find func(text string) int
}

func main() {
	corpus := flag.String("corpus", "", "a file of labelled samples, JSON lines, gzip")
	rounds := flag.Int("rounds", 5, "how often each text is measured; the median counts")
	flag.Parse()
	if err := run(*corpus, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "secrets:", err)
		os.Exit(1)
	}
}

func run(corpus string, rounds int) error {
	detectors, err := newDetectors()
	if err != nil {
		return err
	}
	texts, err := newTexts()
	if err != nil {
		return err
	}
	fmt.Println("| text | bytes | secret MB/s | gitleaks MB/s | betterleaks MB/s | times gitleaks | times betterleaks |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	for _, t := range texts {
		speeds := measure(detectors, t.text, rounds)
		fmt.Printf("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
			t.name, len(t.text), speeds[0], speeds[1], speeds[2], speeds[0]/speeds[1], speeds[0]/speeds[2])
	}
	if corpus == "" {
		return nil
	}
	return compare(detectors, corpus)
}

func newDetectors() ([]detector, error) {
	ours, err := secret.New(secret.Options{})
	if err != nil {
		return nil, err
	}
	old, err := gitleaks.NewDetectorDefaultConfig()
	if err != nil {
		return nil, err
	}
	successor, err := betterleaks.NewDetectorDefaultConfig()
	if err != nil {
		return nil, err
	}
	return []detector{
		{"secret", func(text string) int { return len(ours.Scan(text)) }},
		{"gitleaks", func(text string) int { return len(old.DetectString(text)) }},
		{"betterleaks", func(text string) int { return len(successor.DetectString(text)) }},
	}, nil
}

// measure returns the speed of each detector in MB/s: the median over rounds in which all take turns.
func measure(detectors []detector, text string, rounds int) []float64 {
	taken := make([][]time.Duration, len(detectors))
	for range rounds {
		for i, d := range detectors {
			repeat := max(1, 100_000/len(text))
			begin := time.Now()
			for range repeat {
				d.find(text)
			}
			taken[i] = append(taken[i], time.Since(begin)/time.Duration(repeat))
		}
	}
	var speeds []float64
	for _, t := range taken {
		slices.Sort(t)
		speeds = append(speeds, float64(len(text))/t[len(t)/2].Seconds()/1e6)
	}
	return speeds
}

type namedText struct{ name, text string }

// newTexts returns typical results of tools: JSON of an API, source code, a document.
func newTexts() ([]namedText, error) {
	source, err := concatenated("../../*.go", "../../*/*.go")
	if err != nil {
		return nil, err
	}
	prose, err := concatenated("../../*.md", "../../*/*.md", "../../*/*/README.md")
	if err != nil {
		return nil, err
	}
	var all []namedText
	for _, size := range []int{10_000, 1_000_000} {
		all = append(all,
			namedText{"JSON", records(size)},
			namedText{"source code", cut(source, size)},
			namedText{"documents", cut(prose, size)})
	}
	return all, nil
}

func concatenated(patterns ...string) (string, error) {
	var b strings.Builder
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			b.Write(text)
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("no files match %v: run it in its directory", patterns)
	}
	return b.String(), nil
}

func cut(text string, size int) string {
	return strings.Repeat(text, size/len(text)+1)[:size]
}

func records(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		n := strconv.Itoa(i)
		b.WriteString(`{"id": "786512e2-9e0d-44bd-8f29-` + strconv.Itoa(100000000000+i) + `", "number": ` + n +
			`, "title": "Retry when the token endpoint is slow", "state": "open", "author": {"login": "user` + n +
			`", "url": "https://api.example.org/users/` + n + `"}, "labels": ["bug", "auth"], "body": "The key is read ` +
			`from the environment; see the section on secrets.\nSteps to reproduce follow.", "created_at": "2026-01-03T10:22:11Z"}` + "\n")
	}
	return b.String()[:size]
}

// compare prints the number of samples in a corpus in which each detector finds something.
func compare(detectors []detector, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	samples := map[string]int{}
	found := map[string][]int{"flag": make([]int, len(detectors)), "clean": make([]int, len(detectors))}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var s struct{ Input, Expect string }
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return err
		}
		if found[s.Expect] == nil {
			return fmt.Errorf("%s has a sample that is neither flag nor clean", name)
		}
		samples[s.Expect]++
		for i, d := range detectors {
			if d.find(s.Input) > 0 {
				found[s.Expect][i]++
			}
		}
	}
	fmt.Println("\n| | secrets found | clean texts touched |\n|---|--:|--:|")
	for i, d := range detectors {
		fmt.Printf("| %s | %d of %d | %d of %d |\n", d.name, found["flag"][i], samples["flag"], found["clean"][i], samples["clean"])
	}
	return lines.Err()
}
