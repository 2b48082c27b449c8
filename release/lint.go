// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/schema"
)

// schemas are those that the MCP Registry and MCPB publish; files/README.md has their sources.
//
//go:embed files/*.schema.json
var schemas embed.FS

// lint reads the files of a release again. It holds manifests to their schemas, each checksum to its file, and each address
// below the release to a file of that name and hash.
func (c *config) lint(files []file) error {
	var sums string
	for _, f := range files {
		if f.name == "SHA256SUMS" {
			sums = string(f.data)
		}
	}
	for _, f := range files {
		var err error
		switch {
		case f.name == "server.json":
			err = conforms("server.schema.json", f.data)
		case path.Ext(f.name) == ".mcpb":
			err = lintBundle(f.data)
		case path.Ext(f.name) == ".json" && !json.Valid(f.data):
			err = fmt.Errorf("is no JSON")
		case f.name == c.Name+".rb":
			err = c.lintAddresses(files, f.data, regexp.MustCompile(`url "([^"]+)"\s+sha256 "([0-9a-f]*)"`))
		}
		if err == nil && f.name == c.Name+".json" {
			err = c.lintAddresses(files, f.data, regexp.MustCompile(`"url": "([^"$]+)",\s+"hash": "([0-9a-f]*)"`))
		}
		if err == nil && f.name != "SHA256SUMS" && !strings.HasSuffix(f.name, "_provenance.json") && !strings.Contains(sums, digest(f.data)+"  "+f.name+"\n") {
			err = fmt.Errorf("SHA256SUMS has another hash, or none")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// lintAddresses compares addresses and hashes with files of the release.
func (c *config) lintAddresses(files []file, text []byte, pattern *regexp.Regexp) error {
	found := pattern.FindAllSubmatch(text, -1)
	if len(found) == 0 {
		return fmt.Errorf("names no file of the release")
	}
	for _, m := range found {
		name, ok := strings.CutPrefix(string(m[1]), c.download(""))
		i := slices.IndexFunc(files, func(f file) bool { return f.name == name })
		if !ok || i < 0 {
			return fmt.Errorf("%s is no file of the release", m[1])
		}
		if digest(files[i].data) != string(m[2]) {
			return fmt.Errorf("%s has another hash", m[1])
		}
	}
	return nil
}

// conforms holds a JSON text to an embedded schema.
func conforms(name string, text []byte) error {
	data, err := schemas.ReadFile("files/" + name)
	if err != nil {
		return err
	}
	compiled, err := schema.Compile(data, schema.DefaultLimits())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	found, err := compiled.EvaluateJSON(text)
	if err != nil {
		return err
	}
	for _, v := range found.Violations {
		return fmt.Errorf("%s: %s", v.Pointer, v.Message)
	}
	return nil
}

func lintBundle(data []byte) error {
	text, err := zipEntry(data, "manifest.json")
	if err != nil {
		return err
	}
	return conforms("mcpb-manifest-v0.4.schema.json", text)
}

// zipEntry returns a file of a ZIP archive.
func zipEntry(data []byte, name string) ([]byte, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	f, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
