// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds keep the parser of YAML, which recurses and is quadratic in the keys of a mapping, to a few seconds for
// any text.
const (
	maxYAML    = 4 << 20 // bytes
	maxTokens  = 300_000
	maxNesting = 64    // of [ and {, and of indicators on one line
	maxKeys    = 5_000 // of one mapping
)

// readYAML reads a document as [encoding/json.Unmarshal] reads the same document in JSON.
func readYAML(text string) (root any, err error) {
	defer func() {
		// Parsers of YAML have panicked on malformed texts before.
		if recover() != nil {
			root, err = nil, errors.New("it is not readable YAML")
		}
	}()
	if len(text) > maxYAML {
		return nil, fmt.Errorf("as YAML it is larger than %d MB: give it as JSON", maxYAML>>20)
	}
	tokens := lexer.Tokenize(text)
	if err := bounded(tokens); err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // decoding reports duplicates
	if err != nil {
		return nil, fmt.Errorf("it is not YAML: %s", firstLine(err))
	}
	if len(parsed.Docs) == 0 || parsed.Docs[0].Body == nil {
		return nil, errNeither
	}
	var v any
	if err := yaml.NodeToValue(parsed.Docs[0].Body, &v); err != nil {
		return nil, fmt.Errorf("it is not YAML: %s", firstLine(err))
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("it has a value that JSON cannot express")
	}
	return root, json.Unmarshal(raw, &root)
}

func firstLine(err error) string {
	var syntax interface {
		error
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &syntax) || syntax.GetToken() == nil {
		return "it cannot be read"
	}
	return fmt.Sprintf("line %d: %s", syntax.GetToken().Position.Line, syntax.GetMessage())
}

// bounded refuses what costs the parser too much.
func bounded(tokens token.Tokens) error {
	if len(tokens) > maxTokens {
		return fmt.Errorf("as YAML it has more than %d words and marks: give it as JSON", maxTokens)
	}
	depth, line, indicators, inFlow := 0, 0, 0, 0
	var keys []mapping
	for i, t := range tokens {
		if t.Position.Line != line {
			line, indicators = t.Position.Line, 0
		}
		switch t.Type {
		case token.InvalidType:
			return fmt.Errorf("it is not YAML: line %d: %s", line, t.Error)
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return fmt.Errorf("line %d: anchors, aliases and merge keys are not read: write $ref, or the value", line)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			if depth--; depth <= 0 {
				inFlow = 0
			}
		case token.SequenceEntryType, token.MappingKeyType:
			if depth <= 0 {
				indicators++
			}
		case token.MappingValueType:
			if depth > 0 {
				inFlow++
			} else if indicators++; i > 0 {
				keys = beside(keys, tokens[i-1].Position.Column)
			}
		}
		if depth > maxNesting || indicators > maxNesting {
			return fmt.Errorf("line %d is nested deeper than %d levels", line, maxNesting)
		}
		if inFlow > maxKeys || len(keys) > 0 && keys[len(keys)-1].keys > maxKeys {
			return fmt.Errorf("line %d: a mapping has more than %d keys: give the document as JSON", line, maxKeys)
		}
	}
	return nil
}

// A mapping is one that is open at a line, with the number of its keys.
type mapping struct{ column, keys int }

// beside adds a key at a column, which ends the mappings further to the right.
func beside(open []mapping, column int) []mapping {
	for len(open) > 0 && open[len(open)-1].column > column {
		open = open[:len(open)-1]
	}
	if len(open) == 0 || open[len(open)-1].column < column {
		open = append(open, mapping{column: column})
	}
	open[len(open)-1].keys++
	return open
}
