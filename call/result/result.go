// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package result holds what a server sends back, on its way to the client, and changes
// single places of it: every byte that is not changed stays as the server wrote it.
//
// A result is read as little as can be. Nothing in it is refused because two readers could
// read it differently: all of its strings are looked at, also those below a key that is
// given twice.
package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// A Result is one message of a server that a client is about to get.
type Result struct {
	// Method is the method of the answered request, such as "tools/call", or of the notification
	// or request from the server.
	Method string
	// Raw is the result object, the params or the error, as the server wrote it.
	Raw json.RawMessage

	tokens []Token
	blocks []int // tokens that are the texts of text blocks, in order
}

// A Kind says what a [Token] is.
type Kind uint8

// The kinds of tokens.
const (
	String Kind = iota
	Key         // the name of a property
	Number
)

// A Token is one scalar of a result, as it stands in Raw.
type Token struct {
	Kind       Kind
	Start, End int // in Raw, quotes included
}

// Read finds the tokens of a result. The error says that Raw is not JSON, too deep, or of too many
// scalars.
func Read(method string, raw json.RawMessage) (*Result, error) {
	r := &Result{Method: method, Raw: raw, tokens: make([]Token, 0, 16)}
	w := walker{raw: raw}
	w.visit = func(t Token) bool {
		if len(r.tokens) == maxTokens {
			return false
		}
		if t.Kind == String && w.inBlock() {
			r.blocks = append(r.blocks, len(r.tokens))
		}
		r.tokens = append(r.tokens, t)
		return true
	}
	if err := w.run(); err != nil {
		return nil, err
	}
	if w.done {
		return nil, errTokens
	}
	return r, nil
}

// Tokens are the scalars of r, in their order.
func (r *Result) Tokens() []Token { return r.tokens }

// TextBlocks are the texts of the blocks of a tool's result, of the messages of a prompt or
// of a request for sampling, and of the contents of a resource, in their order. A model reads
// them one after the other.
func (r *Result) TextBlocks() []Token {
	blocks := make([]Token, len(r.blocks))
	for i, t := range r.blocks {
		blocks[i] = r.tokens[t]
	}
	return blocks
}

// Places yields the place of each token of a list, with its index in the list: a JSON Pointer
// (RFC 6901) into Raw. The name of a property has the place of its value. The list is in the
// order of Raw, and may hold a token more than once. All of its places are found in one walk.
//
// Where the names that lead to a token are longer than 4 KiB together, the place is "".
func (r *Result) Places(list []Token) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if len(list) == 0 {
			return
		}
		i := 0
		w := walker{raw: r.Raw}
		w.visit = func(here Token) bool {
			if i == len(list) || list[i] != here {
				return i < len(list)
			}
			for place := w.pointer(); i < len(list) && list[i] == here; i++ {
				if !yield(i, place) {
					return false
				}
			}
			return i < len(list)
		}
		_ = w.run() // Read has done so before
	}
}

// Member returns the value of a member of r at a path of names, or nil.
func (r *Result) Member(path ...string) json.RawMessage {
	var members map[string]json.RawMessage
	raw := r.Raw
	for _, name := range path {
		members = nil
		if json.Unmarshal(raw, &members) != nil {
			return nil
		}
		raw = members[name]
	}
	return raw
}

// maxDepth bounds the nesting of a result.
const maxDepth = 256

// maxTokens bounds the scalars of a result: each takes some twelve times its own memory or more, and
// a list of numbers has nothing else. A thousand vectors of four thousand numbers are within it.
const maxTokens = 4 << 20

var errTokens = fmt.Errorf("the result has more than %d strings, names and numbers", maxTokens)

var errDepth = errors.New("the result is nested deeper than 256 levels")

func errSyntax(at int) error { return fmt.Errorf("the result is not JSON at byte %d", at) }

// Tool is the path of names to the result of a tool in r, if r may hold one: the result of a
// call, or of a call's task (2025-11-25, basic/utilities/tasks; SEP-2663).
func (r *Result) Tool() (path []string, ok bool) {
	switch r.Method {
	case "tools/call", "tasks/result":
		return nil, true
	case "tasks/get":
		return []string{"result"}, true
	}
	return nil, false
}
