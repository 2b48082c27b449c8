// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package parse reads JavaScript and TypeScript into a syntax tree that says where each node stands
// in the text that was given. esbuild turns every dialect into one (CommonJS without types), and
// goja's parser makes the tree. Nothing is run, and no file is read: esbuild's Transform sees one text.
package parse

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
)

// MaxSize is the size in bytes above which a text is refused.
const MaxSize = 12 << 20

// A File is a text that was read.
type File struct {
	Name    string
	Text    string // what was parsed: esbuild's output
	Program *ast.Program
	toGiven *Map
}

// Parse reads a text. The name chooses the dialect by its end (.ts, .tsx, .jsx, .json; all
// others are JavaScript). Errors say what stands in the way, and hold no text of the file.
func Parse(name string, text []byte) (*File, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("larger than %d MiB", MaxSize>>20)
	}
	if err := checkNesting(text); err != nil {
		return nil, err
	}
	code, mapping, err := transform(name, text)
	if err != nil {
		return nil, err
	}
	if err := checkNesting(code); err != nil {
		return nil, err
	}
	program, err := parseTree(string(code))
	if err != nil {
		return nil, err
	}
	m, err := DecodeMap(mapping)
	if err != nil {
		return nil, fmt.Errorf("esbuild's source map: %w", err)
	}
	return &File{Name: name, Text: string(code), Program: program, toGiven: m}, nil
}

// Place says where in the given text a node stands: line and column from 1.
func (f *File) Place(idx file.Idx) (line, col int) {
	off := min(max(int(idx)-1, 0), len(f.Text))
	line = strings.Count(f.Text[:off], "\n")
	col = off - strings.LastIndexByte(f.Text[:off], '\n') - 1
	if _, l, c, ok := f.toGiven.Find(line, col); ok {
		return l + 1, c + 1
	}
	return line + 1, col + 1
}

func loader(name string) api.Loader {
	switch strings.ToLower(path.Ext(name)) {
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	case ".tsx":
		return api.LoaderTSX
	case ".jsx":
		return api.LoaderJSX
	case ".json":
		return api.LoaderJSON
	}
	return api.LoaderJS
}

// options leave as much as goja's parser reads, so that what esbuild puts in is little.
func options(name string) api.TransformOptions {
	config := "{}"
	if l := loader(name); l == api.LoaderTS || l == api.LoaderTSX { // the decorators that frameworks have, also of parameters
		config = `{"compilerOptions": {"experimentalDecorators": true}}`
	}
	return api.TransformOptions{
		Loader: loader(name), Format: api.FormatCommonJS, Target: api.ES2022, Platform: api.PlatformNode,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, Sourcefile: "in",
		LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8, TsconfigRaw: config,
		Supported: map[string]bool{"for-await": false, "async-generator": false, "dynamic-import": false,
			"logical-assignment": false, "class-static-blocks": true, "class-private-brand-check": false,
			"top-level-await": true, "regexp-set-notation": true, "regexp-match-indices": true},
		LogLimit: 0, LogLevel: api.LogLevelSilent,
	}
}

func transform(name string, text []byte) (code, mapping []byte, err error) {
	if l := loader(name); l == api.LoaderTS || l == api.LoaderTSX {
		text = append(text[:len(text):len(text)], injections(string(text))...)
	}
	r := api.Transform(string(text), options(name))
	if len(r.Errors) > 0 && strings.Contains(r.Errors[0].Text, "op-level await") {
		r = api.Transform(string(withoutAwait(name, text)), options(name))
	}
	if len(r.Errors) > 0 && loader(name) == api.LoaderJS { // JSX and Flow in .js
		o := options(name)
		o.Loader = api.LoaderJSX
		if second := api.Transform(string(text), o); len(second.Errors) == 0 {
			r = second
		}
	}
	if len(r.Errors) > 0 {
		line := 0
		if loc := r.Errors[0].Location; loc != nil {
			line = loc.Line
		}
		return nil, nil, fmt.Errorf("line %d: not understood by esbuild", line)
	}
	code = r.Code
	if bytes.HasPrefix(code, []byte("#!")) {
		copy(code, "//")
	}
	return code, r.Map, nil
}

// withoutAwait writes "~" for each await at the top level, which CommonJS does not have. The
// interpreter reads both alike.
func withoutAwait(name string, text []byte) []byte {
	o := options(name)
	o.Format = api.FormatESModule
	o.Supported["top-level-await"] = false
	lines := bytes.SplitAfter(slices.Clone(text), []byte("\n"))
	for _, m := range api.Transform(string(text), o).Errors {
		l := m.Location
		if l == nil || l.Line < 1 || l.Line > len(lines) {
			continue
		}
		line := lines[l.Line-1]
		if l.Column < 0 || l.Column+5 > len(line) || string(line[l.Column:l.Column+5]) != "await" {
			continue
		}
		mark := "~    "
		if bytes.HasSuffix(bytes.TrimRight(line[:l.Column], " "), []byte("for")) {
			mark = "     "
		}
		copy(line[l.Column:], mark)
	}
	return bytes.Join(lines, nil)
}

func parseTree(code string) (program *ast.Program, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not understood by goja's parser")
		}
	}()
	program, err = parser.ParseFile(nil, "in", code, parser.IgnoreRegExpErrors, parser.WithDisableSourceMaps)
	if err != nil {
		var list parser.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			return nil, fmt.Errorf("line %d: not understood by goja's parser", list[0].Position.Line)
		}
		return nil, errors.New("not understood by goja's parser")
	}
	return program, nil
}
