// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A schema is the JSON Schema of a type.
type schema struct {
	Type        string             `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	MinItems    *int               `json:"minItems,omitempty"`
	MaxItems    *int               `json:"maxItems,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
}

// A lexer cuts declarations into tokens: names, literals, punctuation, and the comments before them.
type lexer struct {
	text    string
	at      int
	token   string // "" at the end
	comment string // before the token
}

func (l *lexer) next() {
	l.comment = ""
	for {
		l.at += len(l.text[l.at:]) - len(strings.TrimLeft(l.text[l.at:], " \t\r\n"))
		rest := l.text[l.at:]
		switch {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				end = len(rest) - 2
			}
			l.comment = rest[2:end]
			l.at += end + 2
		case strings.HasPrefix(rest, "//"):
			l.at += len(rest)
			if line := strings.IndexByte(rest, '\n'); line >= 0 {
				l.at += line - len(rest)
			}
		default:
			l.token = rest[:length(rest)]
			l.at += len(l.token)
			return
		}
	}
}

// length is that of the first token of s.
func length(s string) int {
	if s == "" {
		return 0
	}
	if s[0] == '"' || s[0] == '\'' {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case s[0]:
				return i + 1
			}
		}
		return len(s)
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] == '$' || s[n] == '-' && n == 0 || s[n] == '.' && n > 0 || s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	return max(n, 1)
}

type parser struct {
	lexer
	declared map[string]*schema
}

func (p *parser) fail(want string) error {
	line := 1 + strings.Count(p.text[:p.at], "\n")
	return fmt.Errorf("line %d: %q stands where %s is expected", line, p.token, want)
}

func (p *parser) expect(token string) error {
	if p.token != token {
		return p.fail(strconv.Quote(token))
	}
	p.next()
	return nil
}

// file reads "export interface NAME {…}" and "export type NAME = …;", and returns the names of the interfaces.
func (p *parser) file() (order []string, err error) {
	for p.token != "" {
		if err := p.expect("export"); err != nil {
			return nil, err
		}
		kind := p.token
		p.next()
		name := p.token
		p.next()
		var s *schema
		switch kind {
		case "interface":
			s, err = p.object()
			order = append(order, name)
		case "type":
			if err = p.expect("="); err == nil {
				if s, err = p.union(); err == nil {
					err = p.expect(";")
				}
			}
		default:
			err = p.fail(`"interface" or "type"`)
		}
		if err != nil {
			return nil, err
		}
		p.declared[name] = s
	}
	return order, nil
}

// object reads {…}.
func (p *parser) object() (*schema, error) {
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	s := &schema{Type: "object", Properties: map[string]*schema{}}
	for p.token != "}" {
		comment := p.comment
		if p.token == "[" { // [k: string]: T, of names that nobody knows
			for p.token != "]" && p.token != "" {
				p.next()
			}
			p.next()
			if err := p.expect(":"); err != nil {
				return nil, err
			}
			if _, err := p.union(); err != nil {
				return nil, err
			}
			if err := p.expect(";"); err != nil {
				return nil, err
			}
			continue
		}
		name := p.token
		if unquoted, err := strconv.Unquote(name); err == nil {
			name = unquoted
		}
		p.next()
		optional := p.token == "?"
		if optional {
			p.next()
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		t, err := p.union()
		if err != nil {
			return nil, err
		}
		if err := p.expect(";"); err != nil {
			return nil, err
		}
		t.Description = sentence(comment)
		s.Properties[name] = t
		if !optional {
			s.Required = append(s.Required, name)
		}
	}
	p.next()
	return s, nil
}

// union reads types with | between them.
func (p *parser) union() (*schema, error) {
	var all []*schema
	for {
		if p.token == "|" {
			p.next()
		}
		s, err := p.array()
		if err != nil {
			return nil, err
		}
		if !merged(all, s) {
			all = append(all, s)
		}
		if p.token != "|" {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return &schema{AnyOf: all}, nil
}

// merged joins s with one of all: literals become one enumeration, and arrays of equal items one array.
func merged(all []*schema, s *schema) bool {
	for _, o := range all {
		switch {
		case s.Enum != nil && o.Enum != nil && s.Type == o.Type:
			o.Enum = append(o.Enum, s.Enum...)
			return true
		case s.Type == "array" && o.Type == "array" && reflect.DeepEqual(s.Items, o.Items) && s.MaxItems != nil && o.MaxItems != nil:
			o.MinItems, o.MaxItems = new(min(*s.MinItems, *o.MinItems)), new(max(*s.MaxItems, *o.MaxItems))
			return true
		}
	}
	return false
}

// array reads a type with [] behind it.
func (p *parser) array() (*schema, error) {
	s, err := p.single()
	for err == nil && p.token == "[" {
		p.next()
		if err := p.expect("]"); err != nil {
			return nil, err
		}
		s = &schema{Type: "array", Items: s}
	}
	return s, err
}

func (p *parser) single() (*schema, error) {
	token := p.token
	switch token {
	case "{":
		return p.object()
	case "(":
		p.next()
		s, err := p.union()
		if err != nil {
			return nil, err
		}
		return s, p.expect(")")
	case "[":
		return p.tuple()
	}
	p.next()
	switch token {
	case "string", "number", "boolean", "null":
		return &schema{Type: token}, nil
	case "unknown", "any":
		return &schema{}, nil
	case "true", "false":
		return &schema{Type: "boolean", Enum: []any{token == "true"}}, nil
	}
	if text, err := strconv.Unquote(token); err == nil {
		return &schema{Type: "string", Enum: []any{text}}, nil
	}
	if _, err := strconv.ParseFloat(token, 64); err == nil {
		return &schema{Type: "number", Enum: []any{json.Number(token)}}, nil
	}
	if token != "" && (token[0] >= 'A' && token[0] <= 'Z') {
		return &schema{}, nil // another declaration; none of the tools' inputs refers to one
	}
	return nil, p.fail("a type before it")
}

// tuple reads [T, T] and [T, ...T[]]: an array of so many elements, or more.
func (p *parser) tuple() (*schema, error) {
	p.next()
	var items []*schema
	n, open := 0, false
	for p.token != "]" {
		rest := false
		for p.token == "." {
			rest = true
			p.next()
		}
		t, err := p.union()
		if err != nil {
			return nil, err
		}
		if rest {
			if t.Type != "array" {
				return nil, p.fail("an array before it")
			}
			open, t = true, t.Items
		} else {
			n++
		}
		known := false
		for _, i := range items {
			known = known || reflect.DeepEqual(i, t)
		}
		if !known {
			items = append(items, t)
		}
		if p.token == "," {
			p.next()
		}
	}
	p.next()
	s := &schema{Type: "array", MinItems: new(n)}
	if !open {
		s.MaxItems = new(n)
	}
	switch len(items) {
	case 0:
	case 1:
		s.Items = items[0]
	default:
		s.Items = &schema{AnyOf: items}
	}
	return s, nil
}

// sentence is the first sentence of a comment, without its stars.
func sentence(comment string) string {
	var words []string
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "*"))
		if strings.HasPrefix(line, "@") || line == "" && len(words) > 0 {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	text := strings.Join(words, " ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end+1]
	}
	return text
}
