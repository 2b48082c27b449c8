// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import "github.com/toolvet/toolvet/check"

// A Validation is a verdict in the words of the validation protocol (docs/protocol.md): the answer of a validate
// tool, and what package upstream says of a call that it did not make. The first four fields are the protocol's
// core, and sufficient for most programs. The zero Validation is a no-go.
type Validation struct {
	Valid       bool     `json:"valid"`
	Errors      []string `json:"errors"` // each with its place
	Warnings    []string `json:"warnings"`
	Suggestions []string `json:"suggestions"`

	// Ask says of a call that is not valid that a person's consent is all it lacks.
	Ask bool `json:"ask,omitempty"`

	Tool     string          `json:"tool,omitempty"`
	Method   string          `json:"method"`   // who judged: "toolvet", "toolvet+native", "native" or "schema-only"
	Version  string          `json:"version"`  // of the protocol
	Findings []check.Finding `json:"findings"` // errors and warnings, for programs
	Levels   []check.Level   `json:"levels"`   // of the checks that ran
	Skipped  []check.Skip    `json:"skipped"`  // checks that could not look; they never count as passed
	Limits   []Allowance     `json:"limits,omitempty"`
}
