// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build ignore

// Convert writes the tests of a checkout of the JSON Schema Test Suite as one
// group a line, compressed, to standard output. See README.md.
package main

import (
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
)

type group struct {
	Draft       string          `json:"draft"`
	File        string          `json:"file"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []test          `json:"tests"`
}

type test struct {
	Description string          `json:"description"`
	Data        json.RawMessage `json:"data"`
	Valid       bool            `json:"valid"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run convert.go CHECKOUT >suite.jsonl.gz")
	}
	z, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(z)
	out.SetEscapeHTML(false)
	for _, draft := range []string{"draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"} {
		if err := convert(out, filepath.Join(os.Args[1], "tests", draft), draft); err != nil {
			log.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
}

func convert(out *json.Encoder, dir, draft string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []group
		if err := json.Unmarshal(raw, &groups); err != nil {
			return err
		}
		for _, g := range groups {
			g.Draft, g.File = draft, filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
			if err := out.Encode(g); err != nil {
				return err
			}
		}
		return nil
	})
}
