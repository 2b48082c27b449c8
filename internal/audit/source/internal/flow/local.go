// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A name that a program has looked for on this machine is the name of a file. An unknown library
// may then open it: a client for uploads opens its argument.

var (
	takesFiles = lazyregexp.New(`(?i)file|upload|attach|media|photo|image|audio|video|voice|document|load|read|open|parse|import|convert|transcribe|save|write|export|extract`)
	isFile     = lazyregexp.New(`(?i)^(file|path|files|paths|file_?path|file_?name|media|photo|image|audio|video|voice|document|attachment|media_?path|image_?path)$`)
	tellsOnly  = lazyregexp.New(`(?i)error|exception|warn|log|debug|info|print|exists|content|result|response|close|^_*(match|fnmatch|compare|filter|ignore|should)|^_*(is|has|can)_`)
)

// A nameKind is the meaning in a function's name.
type nameKind struct{ takes, tells, checks bool }

func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// kindOf is looked up once for each name: there are many calls, and few names.
func (in *Interp) kindOf(name string) nameKind {
	k, ok := in.kinds[name]
	if !ok {
		k = nameKind{takesFiles.MatchString(name), tellsOnly.MatchString(name), checksByName.MatchString(name)}
		in.kinds[name] = k
	}
	return k
}

// localSinks looks for such names among the arguments of a library's function. Values in errors and parts of
// texts do not count.
func (in *Interp) localSinks(c *CallSite) {
	what := lastName(c.Name)
	is := in.kindOf(what)
	if what == "" || is.tells {
		return
	}
	fits := is.takes
	for _, v := range c.Args {
		if fits {
			in.LocalSink(c.Pos, what, v)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Kw)) {
		if fits || isFile.MatchString(k) {
			in.LocalSink(c.Pos, what, c.Kw[k])
		}
	}
}

// LocalSink is a function that probably opens the file a value names, if the program has looked whether it is
// one.
func (in *Interp) LocalSink(pos Pos, what string, v Value) {
	if v.pre != "" || v.suf != "" {
		return
	}
	in.each(v, func(n *node, l Label) {
		if l&Local != 0 {
			in.report(audit.Path, n, judgePath(l), pos, what)
		}
	})
}

var checksByName = lazyregexp.New(`(?i)^_*(validate|check|verify|ensure|assert|sanitize|guard|confine|restrict|safe_|safe[A-Z]|is_?(safe|allowed|valid|path|within|inside|private|internal))`)

// unseenChecks notes calls of functions without code that check their arguments, going by their names.
func (in *Interp) unseenChecks(c *CallSite) {
	if !in.kindOf(lastName(c.Name)).checks {
		return
	}
	for _, v := range c.All()[1:] {
		for _, n := range in.deep(v) {
			in.st.learn(n, Unseen, 0)
		}
	}
}

var (
	accessors = lazyregexp.New(`(?i)^(get|string|str|text|arg|param|value|require|must|read|optional)`)
	fieldName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

// accessor is a method with the name of an argument as its argument, on something that a library made of the
// arguments.
func (in *Interp) accessor(c *CallSite) (Value, bool) {
	if len(c.Args) == 0 || len(c.Recv.nodes) != 1 || c.Recv.nodes[0].src.Param != "" {
		return Value{}, false
	}
	name, ok := c.Args[0].String()
	if !ok || !fieldName.MatchString(name) || !accessors.MatchString(c.Name[strings.LastIndexByte(c.Name, '.')+1:]) {
		return Value{}, false
	}
	return in.argument(c.Recv.nodes[0].src.Tool, name, c.Pos), true
}
