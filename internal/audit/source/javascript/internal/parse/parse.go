// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package parse reads JavaScript and TypeScript into a syntax tree whose nodes have places in
// the given text. esbuild turns every dialect into one (CommonJS without types), and goja's
// parser makes the tree. Nothing runs, and no file is read: esbuild's Transform sees one
// text.
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

// MaxSize is the largest size of a text in bytes. Bundles of servers have a few megabytes.
const MaxSize = 12 << 20

// A File is a parsed text.
type File struct {
	Name string
	// esbuild's output, which was parsed
	Text    string
	Program *ast.Program
	toGiven *Map
}

// Parse reads a text. The extension of the name chooses the dialect (.ts, .tsx, .jsx, .json;
// all others are JavaScript). Errors name the obstacle and contain no text of the file.
//
// Nesting is checked in front of each parser: esbuild's output may be deeper than its input.
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

// Place is the line and column of a node in the given text, from 1. It goes through esbuild's
// source map.
func (f *File) Place(idx file.Idx) (line, col int) {
	off := min(max(int(idx)-1, 0), len(f.Text))
	line = strings.Count(f.Text[:off], "\n")
	col = off - strings.LastIndexByte(f.Text[:off], '\n') - 1
	if _, l, c, ok := f.toGiven.Find(line, col); ok {
		return l + 1, c + 1
	}
	return line + 1, col + 1
}

// loader is esbuild's dialect for a name.
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

// options lower only those features that goja's parser cannot read. Each lowering puts
// helpers of esbuild into the text; fewer helpers leave the program readable for package
// flow.
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

// transform runs esbuild. Two refusals have a second try: an await at the top level, which
// CommonJS does not have, and JSX in a file with the extension .js.
func transform(name string, text []byte) (code, mapping []byte, err error) {
	// The calls stand behind the text, so no place in it moves.
	if l := loader(name); l == api.LoaderTS || l == api.LoaderTSX {
		text = append(text[:len(text):len(text)], injections(string(text))...)
	}
	r := api.Transform(string(text), options(name))
	// esbuild cannot write a top-level await as CommonJS.
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
	// goja does not know "#!", and a comment of the same length moves nothing.
	if bytes.HasPrefix(code, []byte("#!")) {
		copy(code, "//")
	}
	return code, r.Map, nil
}

// withoutAwait writes "~" for each await at the top level. Package flow reads "~promise" as an
// await, too. The places come from esbuild's own errors, so no await within a function is
// touched, and all columns stay.
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
		// Five bytes, as many as "await" has. "for await" loses the word instead.
		mark := "~    "
		if bytes.HasSuffix(bytes.TrimRight(line[:l.Column], " "), []byte("for")) {
			mark = "     "
		}
		copy(line[l.Column:], mark)
	}
	return bytes.Join(lines, nil)
}

// parseTree runs goja's parser, which panics on some inputs.
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
