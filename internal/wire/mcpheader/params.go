// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpheader

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// annotation marks the mirrored properties in a tool's schema.
const annotation = "x-mcp-header"

// A Mirror is an argument that a header mirrors.
type Mirror struct {
	Path   []string // of the property, from the arguments down
	Header string   // the header's whole name
}

// Mirrors returns the arguments to mirror by the schema of a tool's input, in the order of their
// headers. The error says why the tool must not be used over HTTP.
func Mirrors(inputSchema json.RawMessage, limits strictjson.Limits) ([]Mirror, error) {
	if !strings.Contains(string(inputSchema), annotation) && !strings.Contains(string(inputSchema), `\u`) {
		return nil, nil
	}
	schema, err := strictjson.Parse(inputSchema, limits)
	if err != nil {
		return nil, fmt.Errorf("its inputSchema cannot be read: %w", err)
	}
	var w walk
	if err := w.schema(schema, nil, true); err != nil {
		return nil, err
	}
	slices.SortFunc(w.found, func(a, b Mirror) int { return strings.Compare(a.Header, b.Header) })
	for i := 1; i < len(w.found); i++ {
		if w.found[i].Header == w.found[i-1].Header {
			return nil, fmt.Errorf("two of its arguments have the %s %q", annotation, strictjson.Printable(w.found[i].Header, 64))
		}
	}
	return w.found, nil
}

type walk struct{ found []Mirror }

// schema walks a schema. It is reachable if only keys "properties" lead to it.
func (w *walk) schema(node any, path []string, reachable bool) error {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			if err := w.schema(item, nil, false); err != nil {
				return err
			}
		}
	case map[string]any:
		if name, ok := node[annotation]; ok {
			if err := w.annotated(node, name, path, reachable); err != nil {
				return err
			}
		}
		for key, value := range node {
			if err := w.keyword(key, value, path, reachable); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) keyword(key string, value any, path []string, reachable bool) error {
	switch key {
	case annotation, "default", "const", "enum", "examples": // not schemas
		return nil
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		children, _ := value.(map[string]any)
		for name, child := range children {
			if err := w.schema(child, append(slices.Clip(path), name), reachable && key == "properties"); err != nil {
				return err
			}
		}
		return nil
	}
	return w.schema(value, nil, false)
}

func (w *walk) annotated(node map[string]any, name any, path []string, reachable bool) error {
	text, _ := name.(string)
	switch {
	case !reachable || len(path) == 0:
		return errors.New("it has an " + annotation + " where no chain of properties alone leads")
	case !isToken(text):
		return errors.New("it has an " + annotation + " that cannot be part of a header's name")
	case !primitive(node["type"]):
		return fmt.Errorf("the %s %q is not on a string, an integer or a boolean", annotation, text)
	}
	// Names of headers are the same in any case.
	w.found = append(w.found, Mirror{Path: path, Header: Param + strings.ToLower(text)})
	return nil
}

func primitive(kind any) bool {
	return kind == "string" || kind == "integer" || kind == "boolean"
}

// isToken reports whether s may be in the name of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alphanumeric := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// Value returns the text of a mirrored argument; false if the arguments have none.
func (m Mirror) Value(arguments json.RawMessage, limits strictjson.Limits) (string, bool) {
	return textOf(m.find(arguments, limits), limits)
}

// find returns the JSON of the argument, nil if there is none.
func (m Mirror) find(arguments []byte, limits strictjson.Limits) []byte {
	for _, key := range m.Path {
		arguments = member(arguments, key, limits)
	}
	return arguments
}

// member returns the value of a member, nil if there is none.
func member(object []byte, key string, limits strictjson.Limits) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	m, _ := strictjson.Find(object, limits, key)
	return m.Raw
}

// textOf writes a string, number or boolean for a header.
func textOf(raw []byte, limits strictjson.Limits) (string, bool) {
	v, err := strictjson.Parse(raw, limits)
	if err != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return string(raw), true
	case json.Number:
		return integer(v.String()), true
	}
	return "", false
}

// integer writes 42.0 and 4.2e1 as 42, and every other number as it is.
func integer(number string) string {
	if !strings.ContainsAny(number, ".eE") {
		return number
	}
	// Strict JSON is within the range of a double: this is a few hundred digits at most.
	if r, ok := new(big.Rat).SetString(number); ok && r.IsInt() {
		return r.Num().String()
	}
	return number
}
