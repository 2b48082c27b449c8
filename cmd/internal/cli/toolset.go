// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A toolSet finds the tools that calls name or define. It is safe for concurrent use.
type toolSet struct {
	listed *call.Catalog // nil: no list was given

	// Definitions from calls, by their text, so that each is compiled once. When the
	// young generation is full it becomes the old one, and unused definitions of the
	// old one are dropped, which bounds memory.
	mu         sync.Mutex
	young, old map[string]*call.Catalog
	size       int // bytes of the definitions in young
}

// Bounds of one generation of definitions.
const (
	maxDefinitions     = 2048
	maxDefinitionBytes = 16 << 20
)

func newToolSet(listed *call.Catalog) *toolSet {
	return &toolSet{listed: listed, young: map[string]*call.Catalog{}}
}

// find returns the tools that include a call's "tool", and its name.
func (s *toolSet) find(raw json.RawMessage) (*call.Catalog, string, error) {
	switch raw[0] {
	case '"':
		return s.named(raw)
	case '{':
		return s.defined(raw)
	}
	return nil, "", errors.New(`"tool" must be the name of a tool, or its definition`)
}

func (s *toolSet) named(raw json.RawMessage) (*call.Catalog, string, error) {
	v, err := strictjson.Parse(raw, call.Limits{})
	if err != nil {
		return nil, "", fmt.Errorf(`"tool": %w`, err)
	}
	name, _ := v.(string)
	switch {
	case name == "":
		return nil, "", errors.New(`"tool" is empty: name the tool`)
	case s.listed == nil:
		return nil, "", enforce.WithHint(errors.New(`"tool" is only a name, and there is no list of tools`),
			"give --tools FILE or -- SERVER-COMMAND, name it SERVER:TOOL with a server of --policy, or put the tool's definition in place of its name")
	}
	return s.listed, name, nil
}

func (s *toolSet) defined(raw json.RawMessage) (*call.Catalog, string, error) {
	catalog := s.recall(raw)
	if catalog == nil {
		text := string(raw) // not the caller's memory, which holds the whole call
		tool, err := call.DecodeTool([]byte(text), call.Limits{})
		if err != nil {
			return nil, "", fmt.Errorf(`"tool": %w`, err)
		}
		catalog = call.NewCatalog([]*call.Tool{tool})
		s.remember(text, catalog)
	}
	return catalog, catalog.Names()[0], nil
}

func (s *toolSet) recall(raw []byte) *call.Catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	if catalog, ok := s.young[string(raw)]; ok {
		return catalog
	}
	catalog, ok := s.old[string(raw)]
	if ok {
		s.add(string(raw), catalog)
	}
	return catalog
}

func (s *toolSet) remember(text string, catalog *call.Catalog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(text, catalog)
}

func (s *toolSet) add(text string, catalog *call.Catalog) {
	if len(s.young) >= maxDefinitions || s.size >= maxDefinitionBytes {
		s.old, s.young, s.size = s.young, map[string]*call.Catalog{}, 0
	}
	s.young[text] = catalog
	s.size += len(text)
}
