// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Update writes the vendored rules of package secret anew, from the modules of their authors:
//
//	go mod download -json MODULE@VERSION... | go run ./internal/update -o rules
//
// It is run by "go generate ./internal/secrets". It fails at anything unknown, so that a person looks
// at a new release before it is used.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/toolvet/toolvet/internal/secrets"
)

// A module is what "go mod download -json" tells of one.
type module struct{ Path, Version, Dir, Error string }

// The modules that have rules.
const (
	betterleaks = "github.com/betterleaks/betterleaks"
	gitleaks    = "github.com/zricethezav/gitleaks/v8"
)

// output is the file of patterns.
type output struct {
	Sources  []source          `json:"sources"`
	Allow    []secrets.Allow   `json:"allow"`
	Patterns []secrets.Pattern `json:"patterns"`
}

type source struct {
	Module  string `json:"module"`
	Version string `json:"version"`
	Notice  string `json:"notice"`
}

func main() {
	dir := flag.String("o", "patterns", "the directory to write to")
	flag.Parse()
	if err := run(os.Stdin, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "update:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, dir string) error {
	modules, err := readModules(in)
	if err != nil {
		return err
	}
	first, err := load(filepath.Join(modules[betterleaks].Dir, "config", "betterleaks.toml"))
	if err != nil {
		return err
	}
	second, err := load(filepath.Join(modules[gitleaks].Dir, "config", "gitleaks.toml"))
	if err != nil {
		return err
	}
	out, err := merge(first, second)
	if err != nil {
		return err
	}
	for path, notice := range map[string]string{betterleaks: "LICENSE.betterleaks", gitleaks: "LICENSE.gitleaks"} {
		text, err := os.ReadFile(filepath.Join(modules[path].Dir, "LICENSE"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, notice), text, 0o644); err != nil {
			return err
		}
	}
	out.Sources = []source{
		{betterleaks, modules[betterleaks].Version, "LICENSE.betterleaks"},
		{gitleaks, modules[gitleaks].Version, "LICENSE.gitleaks"},
	}
	return write(filepath.Join(dir, "vendored.json"), out)
}

func readModules(in io.Reader) (map[string]module, error) {
	modules := map[string]module{}
	for d := json.NewDecoder(in); ; {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("standard input is not the output of go mod download -json: %w", err)
		}
		if m.Error != "" {
			return nil, errors.New(m.Error)
		}
		modules[m.Path] = m
	}
	for _, path := range []string{betterleaks, gitleaks} {
		if modules[path].Dir == "" {
			return nil, fmt.Errorf("standard input names no directory of %s: pipe the output of go mod download -json in", path)
		}
	}
	return modules, nil
}

func write(name string, out output) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(out); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
