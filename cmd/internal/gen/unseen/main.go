// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Unseen makes corpora of data that no check was tuned on, in the form of ../shared/corpora: attacks from public lists of
// payloads, and harmless paths, URLs, commands, SQL and texts from public repositories.
//
//	go run ./cmd/internal/gen/unseen -clones DIR -corpora ../shared/corpora -round 2 -out DIR
//	TOOLVET_CORPORA=DIR go test ./checks/path ./checks/url ./checks/command ./checks/internal/sqltext ./internal/secrets ./checks/injection -run 'TestCorpus$' -v
//
// Clones of the repositories are expected in DIR/OWNER/NAME. A rule labels each row by its text, and the rules were
// written before a check saw a row. A row of the corpora that the checks were tuned on is left out, and so is one of an
// earlier round: the checks were mended for those. The data stay out of this repository: most of the lists have no licence that allows copies.
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	clones := flag.String("clones", "", "`directory` of the clones: OWNER/NAME below it")
	tuned := flag.String("corpora", "../shared/corpora", "`directory` of the corpora whose rows are left out")
	out := flag.String("out", "", "`directory` for the new corpora")
	round := flag.Int("round", 1, "`number` of the round of sources")
	only := flag.String("only", "", "`corpora` to make, with commas; all without it")
	flag.Parse()
	if err := run(os.Stdout, chosen(*only), *round, *clones, *tuned, *out); err != nil {
		fmt.Fprintln(os.Stderr, "unseen:", err)
		os.Exit(1)
	}
}

// chosen are the sources of the corpora that a list names.
func chosen(only string) map[string][]source {
	if only == "" {
		return sources
	}
	list := map[string][]source{}
	for name := range strings.SplitSeq(only, ",") {
		list[name] = sources[name]
	}
	return list
}

// A source is a file of a repository, or the names of all its files, at one commit.
type source struct {
	repo, commit, path string // a * in path stands for anything; without a path: the names of all files
	class              string
	rows               func(text string) []string // inputs
	label              func(input string) string  // accept, reject, or flag for rows that no rule can label
	dialect            string
	round              int      // 0 is the first
	without            []source // whose rows are left out
}

// of is the round of a source.
func of(s source) int { return max(s.round, 1) }

// longest bounds a row, in bytes. Rows of a corpus without an entry have 4096: they are lines and values, not documents.
var longest = map[string]int{"injection": 1 << 20}

// recurring are corpora whose rows may be those of an earlier round: lines such as a bracket are in every repository.
var recurring = map[string]bool{"secrets": true, "injection": true}

const (
	accept  = "accept"
	reject  = "reject"
	flagged = "flag"  // not scored; of secrets and injection: one that must be found
	clean   = "clean" // of secrets and injection: none
	plain   = "plain" // of injection: not scored
)

// A row has the form of a row of ../shared/corpora.
type row struct {
	Input   string `json:"input"`
	Class   string `json:"class"`
	Expect  string `json:"expect"`
	Source  string `json:"source"`
	Dialect string `json:"dialect,omitempty"`
}

func run(w io.Writer, sources map[string][]source, round int, clones, tuned, out string) error {
	if clones == "" || out == "" {
		return errors.New("-clones and -out are needed")
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		seen, err := inputs(filepath.Join(tuned, name+".jsonl.gz"))
		if err != nil {
			return err
		}
		var rows []row
		for _, s := range sources[name] {
			if of(s) > round || of(s) < round && recurring[name] && (round < 12 || of(s) < 10) { // round 12 leaves out what 10 and 11 had
				continue
			}
			texts, err := s.read(clones)
			if err != nil && of(s) < round {
				fmt.Fprintf(w, "%s: rows of %s are not left out, there is no clone\n", name, s.repo)
				continue
			}
			if err != nil {
				return err
			}
			for _, other := range s.without {
				texts, err := other.read(clones)
				if err != nil {
					return err
				}
				for _, input := range slices.Concat(mapped(texts, other.rows)...) {
					seen[input] = true
				}
			}
			for _, input := range slices.Concat(mapped(texts, s.rows)...) {
				if seen[input] || input == "" || len(input) > cmp.Or(longest[name], 4096) {
					continue
				}
				seen[input] = true
				if of(s) < round {
					continue
				}
				rows = append(rows, row{input, s.class, s.label(input), s.repo + "/" + s.path, s.dialect})
			}
		}
		if name == "injection" && round >= 12 {
			spread(rows, func(r row) string {
				owner, rest, _ := strings.Cut(r.Source, "/")
				repo, _, _ := strings.Cut(rest, "/")
				return owner + "/" + repo
			})
		}
		if err := errors.Join(postgres.failure(), mariadb.failure()); err != nil {
			return fmt.Errorf("no database labels SQL: %w", err)
		}
		if err := write(filepath.Join(out, name+".jsonl.gz"), rows); err != nil {
			return err
		}
		count := map[string]int{}
		for _, r := range rows {
			count[r.Expect]++
		}
		fmt.Fprintf(w, "%s: %v\n", name, count)
	}
	return nil
}

func mapped(texts []string, rows func(string) []string) (all [][]string) {
	for _, text := range texts {
		all = append(all, rows(text))
	}
	return all
}

// read returns the texts of a source's files, or the names of all files.
func (s *source) read(clones string) ([]string, error) {
	git := func(args ...string) (string, error) {
		text, err := exec.Command("git", append([]string{"-C", filepath.Join(clones, filepath.FromSlash(s.repo))}, args...)...).Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
		}
		return string(text), nil
	}
	paths := s.path
	if paths == "" || strings.Contains(paths, "*") {
		all, err := git("ls-tree", "-r", "-z", "--name-only", s.commit)
		if err != nil || paths == "" {
			return []string{all}, err
		}
		paths = all
	}
	var texts []string
	for name := range strings.SplitSeq(paths, "\x00") {
		before, after, _ := strings.Cut(s.path, "*")
		if name == "" || name != s.path && (!strings.HasPrefix(name, before) || !strings.HasSuffix(name, after)) {
			continue
		}
		text, err := git("show", s.commit+":"+name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// inputs are those of a corpus. One that is not there has none.
func inputs(name string) (map[string]bool, error) {
	seen := map[string]bool{}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return seen, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r struct{ Input any }
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if input, ok := r.Input.(string); ok {
			seen[input] = true
		}
	}
	return seen, lines.Err()
}

func write(name string, rows []row) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := gzip.NewWriter(f)
	enc := json.NewEncoder(z)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return z.Close()
}
