// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import "github.com/toolvet/toolvet/internal/validate"

// WithValidation configures the validate tool: its batches, its cache of verdicts.
func WithValidation(c validate.Config) Option {
	return optionFunc(func(g *guard) { g.validation = c })
}
