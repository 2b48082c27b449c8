// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/schema"
)

// JSON Schema alone, for ordinary Go values.
func Example_validator() {
	s := must(schema.Compile([]byte(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`), schema.Limits{}))
	for _, v := range []any{map[string]any{"a": 1}, struct{ A string }{"x"}, map[string]float64{"a": 0.5}} {
		var invalid *schema.InvalidError
		fmt.Println(errors.As(s.Validate(v), &invalid))
	}
	// Output:
	// false
	// true
	// true
}
