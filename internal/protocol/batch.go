// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"fmt"
)

// A BatchResult is the answer of the batch tool.
type BatchResult struct {
	Valid       bool     `json:"valid"` // all are
	Errors      []string `json:"errors"`
	Warnings    []string `json:"warnings"`
	Suggestions []string `json:"suggestions"`

	Method  string   `json:"method"`
	Version string   `json:"version"`
	Results []Result `json:"results"` // in the order of the calls
}

// maxBatchTexts bounds each list of texts of a whole batch. The results hold them all.
const maxBatchTexts = 1000

// NewBatchResult puts the results of calls together.
func NewBatchResult(results []Result) BatchResult {
	b := BatchResult{
		Valid: true, Errors: []string{}, Warnings: []string{}, Suggestions: []string{},
		Method: MethodToolvet, Version: Version, Results: results,
	}
	for i := range results {
		r := &results[i]
		b.Valid = b.Valid && r.Valid
		if r.Method == MethodBoth {
			b.Method = MethodBoth
		}
		addTexts(&b.Errors, i, r.Errors)
		addTexts(&b.Warnings, i, r.Warnings)
		addTexts(&b.Suggestions, i, r.Suggestions)
	}
	return b
}

func addTexts(list *[]string, index int, texts []string) {
	for _, text := range texts {
		switch n := len(*list); {
		case n < maxBatchTexts:
			*list = append(*list, fmt.Sprintf("calls/%d: %s", index, text))
		case n == maxBatchTexts:
			*list = append(*list, "and more: see results")
		}
	}
}

// Answer is the CallToolResult of a batch. Modern says that the request speaks 2026-07-28 or
// later.
func (b *BatchResult) Answer(modern bool) json.RawMessage {
	var tokens []*Token // in the order of the calls, with null for a call without one
	for i := range b.Results {
		if b.Results[i].Token != nil && tokens == nil {
			tokens = make([]*Token, len(b.Results))
		}
		if tokens != nil {
			tokens[i] = b.Results[i].Token
		}
	}
	if tokens == nil {
		return answer(b, nil, modern)
	}
	return answer(b, tokens, modern)
}
