// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"errors"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// yamlNotation is goose's config.yaml. An entry is a block of lines, and so is each of its members.
type yamlNotation struct{}

// errYAML does not quote the parser, which quotes the file.
var errYAML = errors.New("the text is no YAML that setup can read")

// mapping returns the members of the mapping that a text is, with the lines of their keys, from 0. Anchors would let a small text stand for
// a large one.
func mapping(text []byte) ([]*ast.MappingValueNode, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) != 1 {
		return nil, errYAML
	}
	var linked linkFinder
	ast.Walk(&linked, file.Docs[0])
	if linked.found {
		return nil, errYAML
	}
	return members(file.Docs[0].Body)
}

func members(node ast.Node) ([]*ast.MappingValueNode, error) {
	switch node := node.(type) {
	case *ast.MappingNode:
		if !node.IsFlowStyle {
			return node.Values, nil
		}
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}, nil
	case nil, *ast.NullNode:
		return nil, nil
	}
	return nil, errLayout
}

// A linkFinder finds anchors and what refers to them.
type linkFinder struct{ found bool }

func (f *linkFinder) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		f.found = true
	}
	return f
}

func (yamlNotation) read(text []byte) (map[string]any, error) {
	if _, err := mapping(text); err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		return nil, errYAML
	}
	return asJSON(values)
}

// keyLine returns the line of a member's key, from 0.
func keyLine(m *ast.MappingValueNode) int { return m.Key.GetToken().Position.Line - 1 }

func (n yamlNotation) find(file []byte, root string) ([]found, error) {
	top, err := mapping(file)
	if err != nil {
		return nil, errYAML
	}
	i := slices.IndexFunc(top, func(m *ast.MappingValueNode) bool { return m.Key.GetToken().Value == root })
	if i < 0 {
		return nil, nil
	}
	servers, err := members(top[i].Value)
	if err != nil {
		return nil, err
	}
	all, err := n.read(file)
	if err != nil {
		return nil, err
	}
	values, _ := all[root].(map[string]any)
	lines := linesOf(file)
	var list []found
	for _, s := range servers {
		f := found{name: s.Key.GetToken().Value}
		inner, err := members(s.Value)
		if err != nil || len(inner) == 0 || keyLine(inner[0]) == keyLine(s) {
			f.elsewhere, _ = values[f.name].(map[string]any)
			f.fault = errLayout
			list = append(list, f)
			continue
		}
		first := keyLine(inner[0])
		end := lines.block(first)
		f.offset, f.length = lines[first].start, lines[end-1].end-lines[first].start
		list = append(list, f)
	}
	return list, nil
}

// A textLine is a line without its end.
type textLine struct {
	start, end int
	indent     int // -1: blank, or a comment
}

type textLines []textLine

func linesOf(text []byte) (lines textLines) {
	at := 0
	for line := range bytes.Lines(text) {
		body := bytes.TrimRight(line, "\r\n")
		word := bytes.TrimLeft(body, " ")
		l := textLine{at, at + len(body), len(body) - len(word)}
		if len(word) == 0 || word[0] == '#' {
			l.indent = -1
		}
		lines = append(lines, l)
		at += len(line)
	}
	return lines
}

// block returns the line behind those that a line begins: all that are indented as far as it is, without blank ones and comments at their
// end.
func (l textLines) block(first int) int {
	end := first + 1
	for i := first + 1; i < len(l) && (l[i].indent < 0 || l[i].indent >= l[first].indent); i++ {
		if l[i].indent >= 0 {
			end = i + 1
		}
	}
	return end
}

// remark matches a comment behind a value.
var remark = lazyregexp.New(`[ \t]+#.*$`)

func (n yamlNotation) write(text []byte, changes []change) ([]byte, error) {
	inner, err := mapping(text)
	if err != nil {
		return nil, err
	}
	lines := linesOf(text)
	var slots []slot
	for i, m := range inner {
		first, end := keyLine(m), len(lines)
		if i+1 < len(inner) {
			end = keyLine(inner[i+1])
		}
		for end > first+1 && lines[end-1].indent < 0 {
			end--
		}
		s := slot{key: m.Key.GetToken().Value, start: lines[first].start + max(lines[first].indent, 0), end: lines[end-1].end}
		s.value = m.Start.Position.Column // of the colon, from 1
		s.value = lines[first].start + len(string([]rune(string(text[lines[first].start:lines[first].end]))[:s.value]))
		if end == first+1 {
			s.end = n.withoutRemark(text, s)
		}
		slots = append(slots, s)
	}
	between := append(slices.Clone(lineEnd(text)), bytes.Repeat([]byte(" "), max(lines[keyLine(inner[0])].indent, 0))...)
	for i, c := range changes {
		if c.value != nil && slices.ContainsFunc(slots, func(s slot) bool { return s.key == c.key }) {
			changes[i].value = append([]byte(" "), c.value...)
		}
	}
	return written(text, slots, changes, between, func(c change) []byte { return slices.Concat([]byte(c.key+": "), c.value) })
}

// withoutRemark returns the end of a member of one line, before a comment.
func (n yamlNotation) withoutRemark(text []byte, s slot) int {
	at := remark.FindIndex(text[s.value:s.end])
	if at == nil {
		return s.end
	}
	whole, errWhole := n.read(text[s.start:s.end])
	part, errPart := n.read(text[s.start : s.value+at[0]])
	if errWhole != nil || errPart != nil || !bytes.Equal(marshal(whole), marshal(part)) {
		return s.end
	}
	return s.value + at[0]
}
