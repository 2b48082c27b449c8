// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

// A decoder turns nodes into typed values and collects errors on its way, so that one run finds
// every error. A value that is wrong comes out as zero.
type decoder struct {
	file   *file
	kinds  []*check.Demand // that a policy may name
	errs   Errors
	lookup func(name string) (string, bool) // of variables of the environment

	only    string   // the server that somebody needs; "": all
	another bool     // a text says how to reach a server that nobody needs
	missing []string // variables that are not set in such texts of a server
	lacking string   // the place of the first
	unset   position // the last text with a variable that is not set

	private bool     // a text is for toolvet alone, such as credentials
	secret  bool     // a text is a credential
	held    []string // variables that hold credentials
	named   []string // variables that the server at hand names for itself
}

// errorf reports a fault, unless its text lacks a variable: the fault is that of the text in its place.
func (d *decoder) errorf(at position, format string, args ...any) {
	if at == d.unset {
		return
	}
	d.errs = append(d.errs, d.file.errorf(at, format, args...))
}

// A field is an allowed key of a mapping, with the reader of its value.
type field struct {
	key      string
	required bool
	read     func(value ast.Node)
}

// object reads a mapping whose keys the grammar knows.
func (d *decoder) object(n ast.Node, what string, fields ...field) {
	seen := map[string]bool{}
	entries, ok := d.entries(n, what)
	for _, e := range entries {
		seen[e.key] = true
		d.field(e, fields)
	}
	for _, f := range fields {
		if ok && f.required && !seen[f.key] {
			d.errorf(positionOf(n), "%q is missing from %s", f.key, what)
		}
	}
}

func (d *decoder) field(e entry, fields []field) {
	keys := make([]string, len(fields))
	for i, f := range fields {
		if f.key == e.key {
			f.read(e.value)
			return
		}
		keys[i] = f.key
	}
	advice := hint(e.key, keys)
	if own := habit(e.key); own != "" && keys[0] == "command" { // a server
		advice = own
	}
	d.errorf(e.at, "unknown key %s: %s", quote(e.key), advice)
}

// habit says how a policy tells a key of a server in the configurations of MCP clients; "" if it is none.
func habit(key string) string {
	switch key {
	case "args":
		return "append them to command"
	case "headers":
		return "write credentials: {header: {NAME: VALUE}}"
	case "type", "transport":
		return "leave it out: command or url tells it"
	case "disabled":
		return "take the server out of the policy"
	case "cwd":
		return "write dir"
	case "envFile":
		return "write env"
	}
	return ""
}

// An entry is one key of a mapping, and its value.
type entry struct {
	key   string
	at    position // of the key
	value ast.Node
}

// entries reads a mapping whose keys the writer chooses, in the order of the file.
// A key that is given again is an error, and left out. It reports whether n is a
// mapping.
func (d *decoder) entries(n ast.Node, what string) ([]entry, bool) {
	mapping, ok := bare(n).(ast.MapNode)
	if !ok {
		d.mismatch(n, "a mapping: "+what)
		return nil, false
	}
	var list []entry
	first := map[string]position{}
	for it := mapping.MapRange(); it.Next(); {
		at := positionOf(it.Key())
		key, ok := it.Key().(*ast.StringNode)
		if !ok {
			if it.Key().Type() != ast.MergeKeyType { // refused with the anchors
				d.errorf(at, "a key must be a string: quote it")
			}
			continue
		}
		if before, dup := first[key.Value]; dup {
			d.errorf(at, "%s is given twice: first in line %d", quote(key.Value), before.line)
			continue
		}
		first[key.Value] = at
		list = append(list, entry{key.Value, at, it.Value()})
	}
	return list, true
}

// boolean reads true or false.
func (d *decoder) boolean(n ast.Node) bool {
	b, ok := bare(n).(*ast.BoolNode)
	if !ok {
		d.mismatch(n, "true or false")
		return false
	}
	return b.Value
}

// integer reads a number in plain decimal digits.
func (d *decoder) integer(n ast.Node) (int, bool) {
	if i, ok := bare(n).(*ast.IntegerNode); ok && i.Token.Type == token.IntegerType {
		if v, err := strconv.Atoi(i.Token.Value); err == nil {
			return v, true
		}
	}
	d.mismatch(n, "an integer in decimal digits")
	return 0, false
}

// A choice is an allowed word and its value.
type choice[T any] struct {
	word  string
	value T
}

// oneOf reads one of a few words.
func oneOf[T any](d *decoder, n ast.Node, choices ...choice[T]) (value T) {
	words := make([]string, len(choices))
	s, ok := bare(n).(*ast.StringNode)
	for i, c := range choices {
		if ok && s.Value == c.word {
			return c.value
		}
		words[i] = c.word
	}
	if ok {
		d.errorf(positionOf(n), "%s is not allowed here: %s", quote(s.Value), hint(s.Value, words))
	} else {
		d.mismatch(n, alternatives(words))
	}
	return value
}

// mismatch reports that n is not of the wanted kind.
func (d *decoder) mismatch(n ast.Node, want string) {
	if _, alias := bare(n).(*ast.AliasNode); alias {
		return // refused as an alias already
	}
	d.errorf(positionOf(n), "must be %s; it is %s", want, kind(bare(n)))
}

// bare takes off anchors and tags, which are refused where the tokens are read.
func bare(n ast.Node) ast.Node {
	for {
		switch wrapped := n.(type) {
		case *ast.AnchorNode:
			n = wrapped.Value
		case *ast.TagNode:
			n = wrapped.Value
		default:
			return n
		}
	}
}

func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return "a string"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "a mapping"
	}
	return "empty"
}

// positionOf returns where n begins. A block mapping begins at its first key; its
// own token is the colon behind it.
func positionOf(n ast.Node) position {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	if n == nil || n.GetToken() == nil {
		return position{1, 1}
	}
	return tokenPosition(n.GetToken())
}

// hint suggests the nearest word, or else lists all allowed words.
func hint(got string, allowed []string) string {
	if near := schema.Nearest(got, allowed); near != "" {
		return "did you mean " + strconv.Quote(near) + "?"
	}
	return "must be " + alternatives(allowed)
}

func alternatives(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return strings.Join(quoted, " or ")
}

// maxQuoted bounds what a message repeats of the file, in characters.
const maxQuoted = 64

func quote(s string) string { return strconv.Quote(strictjson.Printable(s, maxQuoted)) }
