// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"net/url"

	"github.com/toolvet/toolvet/internal/jsonschema"
)

// documentURL is the base URI of a schema without "$id". It is hierarchical: "other.json"
// resolves to another document, and is refused.
const documentURL = "toolvet:///schema"

// A Schema is a compiled JSON Schema; [Compile] makes one. It is immutable and
// safe for concurrent use. A nil or zero Schema judges nothing: its methods
// return an [*EvaluateError].
type Schema struct {
	root   *node
	limits Limits

	formats bool // a format is asserted somewhere
	mixed   bool // and may turn an invalid value into a valid one
	tracks  bool // there are unevaluatedProperties or unevaluatedItems
}

// Compile reads a schema: a JSON object, or true or false. Every error is a
// [*CompileError]; one for an unsupported dialect wraps
// [ErrUnsupportedDialect]. Nothing outside raw is read, and the schema keeps
// nothing of raw.
func Compile(raw []byte, limits Limits) (*Schema, error) { return compile(raw, limits, true) }

func compile(raw []byte, limits Limits, booleans bool) (_ *Schema, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &CompileError{Reason: fmt.Sprintf("it cannot be compiled: %s", printable(fmt.Sprint(fault), maxPrintedFault))}
		}
	}()
	limits = limits.withDefaults()
	v, err := parse(raw, limits)
	if err != nil {
		return nil, err
	}
	compiled := &Schema{limits: limits}
	if accepts, ok := v.(bool); ok && booleans {
		compiled.root = &node{always: accepts, never: !accepts}
		return compiled, nil
	}
	doc, ok := v.(map[string]any)
	switch {
	case !ok && booleans:
		return nil, &CompileError{Reason: "it must be a JSON object, true or false"}
	case !ok:
		return nil, &CompileError{Reason: "it must be a JSON object"}
	}
	engine := newEngine(limits)
	survey := surveyor{engine: engine}
	if err := survey.document(doc); err != nil {
		return nil, err
	}
	c := newCompiler(engine)
	if err := c.AddResource(documentURL, doc); err != nil {
		return nil, &CompileError{Reason: err.Error()}
	}
	g := newGraph(doc)
	if compiled.root, err = g.compile(c, survey); err != nil {
		return nil, explainCompile(err, survey.refs)
	}
	compiled.formats, compiled.mixed, compiled.tracks = g.formats, g.mixed, g.tracks
	return compiled, nil
}

// compile makes the nodes of the document. A schema that only a dynamic reference leads to is not
// reachable from the root, and is compiled by name.
func (g *graph) compile(c *jsonschema.Compiler, survey surveyor) (*node, error) {
	src, err := c.Compile(documentURL)
	if err != nil {
		return nil, err
	}
	root := g.node(src)
	g.drain()
	if !g.dynamic {
		g.markDeclaring()
		return root, nil
	}
	for _, pointer := range survey.anchors {
		src, err := c.Compile(documentURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment())
		if err != nil {
			return nil, err
		}
		g.node(src)
	}
	g.drain()
	g.resources()
	g.markDeclaring()
	return root, nil
}

func newCompiler(engine *engine) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat() // makes the library keep the formats; evaluation decides
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(engine.Compile)
	return c
}
