// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds keep the parser, which recurses and is quadratic in places, to a few
// seconds for any text.
const (
	maxTokens = 50_000
	maxDepth  = 32 // of [ and {, and of indicators on one line
)

// parseTree reads the YAML of a file: its only document, and everything that is
// wrong with it. The node is nil if the text could not be read, or there is none.
func parseTree(f *file, text string) (root ast.Node, errs Errors) {
	defer func() {
		// Parsers of YAML have panicked on malformed texts before.
		if recover() != nil {
			root, errs = nil, append(errs, f.errorf(position{1, 1}, "the text is not readable YAML"))
		}
	}()
	tokens := lexer.Tokenize(text)
	o := outline{file: f}
	o.read(tokens)
	if o.unreadable {
		return nil, o.errs
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // the decoder reports duplicates
	if err != nil {
		return nil, append(o.errs, syntaxError(f, err))
	}
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			return doc.Body, o.errs
		}
	}
	return nil, o.errs
}

func syntaxError(f *file, err error) *Error {
	var syntax interface {
		error
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &syntax) || syntax.GetToken() == nil {
		return f.errorf(position{1, 1}, "the text is not readable YAML")
	}
	return f.errorf(tokenPosition(syntax.GetToken()), "not YAML: %s", syntax.GetMessage())
}

func tokenPosition(t *token.Token) position {
	return position{t.Position.Line, t.Position.Column}
}

// An outline finds in the tokens what our files do without, before the parser sees
// them.
type outline struct {
	file       *file
	errs       Errors
	unreadable bool // the parser should not see the text
	content    bool // a document has begun
	ended      bool // and has ended
	depth      int  // open [ and {
	line       int  // the current line
	indicators int  // on it, outside [ and {
}

func (o *outline) read(tokens token.Tokens) {
	for i, t := range tokens {
		if i >= maxTokens {
			o.stop(t, "the %s is too large: more than 50,000 words and marks", o.file.kind)
		} else {
			o.token(t)
		}
		if o.unreadable {
			return
		}
	}
}

func (o *outline) token(t *token.Token) {
	switch t.Type {
	case token.CommentType:
		return
	case token.InvalidType:
		o.stop(t, "not YAML: %s", t.Error)
	case token.DirectiveType:
		o.stop(t, "a directive is not part of a %s: remove the line", o.file.kind)
	case token.DocumentHeaderType, token.DocumentEndType:
		o.ended = o.content
		return
	case token.AnchorType, token.AliasType, token.MergeKeyType:
		o.fail(t, "anchors, aliases and merge keys are not part of a %s: write the value out", o.file.kind)
	case token.TagType:
		o.fail(t, "a tag is not part of a %s: remove it", o.file.kind)
	}
	if o.ended {
		o.stop(t, "a second document begins here: a %s is one document", o.file.kind)
	}
	o.content = true
	o.nesting(t)
}

// nesting bounds the recursion of the parser. Indentation needs no bound: each
// level costs more text than the one before.
func (o *outline) nesting(t *token.Token) {
	if t.Position.Line != o.line {
		o.line, o.indicators = t.Position.Line, 0
	}
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		o.depth++
	case token.SequenceEndType, token.MappingEndType:
		o.depth--
	case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
		if o.depth <= 0 {
			o.indicators++
		}
	}
	if o.depth > maxDepth || o.indicators > maxDepth {
		o.stop(t, "nested deeper than 32 levels")
	}
}

func (o *outline) fail(t *token.Token, format string, args ...any) {
	o.errs = append(o.errs, o.file.errorf(tokenPosition(t), format, args...))
	o.unreadable = o.unreadable || len(o.errs) > maxErrors
}

func (o *outline) stop(t *token.Token, format string, args ...any) {
	o.fail(t, format, args...)
	o.unreadable = true
}
