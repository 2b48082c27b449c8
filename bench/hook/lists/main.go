// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Command lists makes the lists that the figures of "toolvet hook" come from, out of checkouts of public repositories. The lists are other people's, so
// they stay out of this repository: the checkouts, the seed and this program make them again. See ../../README.md.
//
//	go run ./bench/hook/lists harmless -out DIR -seed 1 -want tldr=350,npm=200 CHECKOUT...
//	go run ./bench/hook/lists openmoat -out DIR -seed 1 CHECKOUT...
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench/hook/lists:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want harmless or openmoat")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	out := flags.String("out", "", "`DIR` for the files")
	seed := flags.Uint64("seed", 1, "decides which half has a line, and which lines are drawn")
	want := flags.String("want", "", "lines of each kind in each half, as `KIND=N,...`")
	drop := flags.String("drop", "", "`FILE` of lines that a reader found harmful, one JSON text a line")
	add := flags.String("add", "", "`FILE` of lines that somebody wrote for the hidden half, one JSON text a line")
	share := flags.Float64("seen", 0.5, "share of the cases in seen.jsonl")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *out == "" || flags.NArg() == 0 {
		return errors.New("want -out DIR and checkouts")
	}
	switch args[0] {
	case "harmless":
		wanted, err := counts(*want)
		if err != nil {
			return err
		}
		dropped, err := texts(*drop)
		if err != nil {
			return err
		}
		seen, hidden, err := draw(flags.Args(), *seed, wanted, dropped)
		if err != nil {
			return err
		}
		written, err := texts(*add)
		if err != nil {
			return err
		}
		for _, l := range written {
			hidden = append(hidden, line{Line: l, Kind: "written"})
		}
		return errors.Join(write(filepath.Join(*out, "seen.txt"), seen), write(filepath.Join(*out, "hidden.txt"), hidden))
	case "openmoat":
		seen, hidden, err := cases(flags.Args(), *seed, *share)
		if err != nil {
			return err
		}
		return errors.Join(write(filepath.Join(*out, "seen.jsonl"), seen), write(filepath.Join(*out, "hidden.jsonl"), hidden))
	}
	return fmt.Errorf("%q: want harmless or openmoat", args[0])
}

// counts reads the numbers of lines of each kind.
func counts(text string) (map[string]int, error) {
	out := map[string]int{}
	for _, part := range strings.Split(text, ",") {
		kind, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		if err != nil || readers[kind].reads == nil {
			return nil, fmt.Errorf("-want: %q: want KIND=N, with a kind of %s", part, kinds())
		}
		out[kind] = n
	}
	return out, nil
}
