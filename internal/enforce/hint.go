// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package enforce

import "fmt"

// A HintedError is an error with advice for the operator.
type HintedError struct {
	error
	Hint string
}

func (e *HintedError) Unwrap() error { return e.error }

// WithHint adds advice to an error.
func WithHint(err error, format string, args ...any) error {
	return &HintedError{err, fmt.Sprintf(format, args...)}
}
