// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package numberprecision checks for integers that some servers round.
package numberprecision

import (
	"context"
	_ "embed"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Check reports integers that a double cannot hold exactly.
var Check = &check.Check{
	Name:     "number-precision",
	Doc:      doc,
	Stage:    check.Schema,
	Level:    check.SyntaxLevel,
	Severity: check.Warning,
	Bounded:  bounded.Promised(),
	Requests: true,
	Run:      run,
}

// maxReported bounds what is told of a list of large numbers.
const maxReported = 20

func run(_ context.Context, pass *check.Pass) error {
	var pointers []string
	walk(pass.Call.Arguments, make([]string, 0, 8), func(steps []string) {
		pointer := ""
		for _, step := range steps {
			pointer += "/" + check.EscapePointer(step)
		}
		pointers = append(pointers, pointer)
	})
	slices.Sort(pointers)
	for i, pointer := range pointers {
		if i == maxReported {
			pass.Reportf("", "%d more integers are beyond ±9007199254740991", len(pointers)-i)
			break
		}
		pass.Report(check.Finding{
			Pointer:    pointer,
			Message:    "is an integer beyond ±9007199254740991: servers that use doubles (JavaScript) round it",
			Suggestion: "send it as a string if the tool accepts one",
		})
	}
	return nil
}

// walk calls hit with the steps to every integer that rounds.
func walk(v any, steps []string, hit func(steps []string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			walk(e, append(steps, key), hit)
		}
	case []any:
		for i, e := range v {
			walk(e, append(steps, strconv.Itoa(i)), hit)
		}
	case json.Number:
		if rounds(string(v)) {
			hit(steps)
		}
	}
}

// rounds reports whether the text of a number is an integer without exponent outside the range in
// which every integer is its own double. A writer of exponents thinks in doubles.
func rounds(number string) bool {
	const exactDigits = 15 // every integer of so many digits is exact
	if len(number) <= exactDigits {
		return false
	}
	whole, fraction, _ := strings.Cut(number, ".")
	if strings.Trim(fraction, "0") != "" {
		return false
	}
	i, ok := new(big.Int).SetString(whole, 10)
	return ok && i.CmpAbs(firstInexact) >= 0
}

var firstInexact = big.NewInt(1 << 53)
