// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// A meter prices what CEL prices at next to nothing: a call of which the types are not known
// before it runs, as with a dyn, a comparison of lists in lists, and a walk through all of a value.
type meter struct{}

// CallCost implements cost.ActualCostEstimator. Nil leaves the price to CEL.
func (meter) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	switch function {
	case nestedFunction:
		price := uint64(1)
		for _, v := range args {
			price += weight(v)
		}
		return &price
	case holdsKeyFunction, holdsLinkFunction: // which read a text several times
		price := 100 * weight(args[0])
		return &price
	}
	compares := function == operators.Equals || function == operators.NotEquals || function == operators.In
	if overload != "" && !(compares && slices.ContainsFunc(args, aggregate)) {
		return nil
	}
	price := weight(result)
	for _, v := range args {
		if compares || !aggregate(v) {
			price += weight(v)
		}
	}
	return &price
}

func aggregate(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper:
		return true
	}
	return false
}

// weight is what it costs to pass over a value.
func weight(v ref.Val) uint64 {
	if made, ok := v.(traits.Sizer); ok {
		return 1 + elements(v.Value(), made)
	}
	return 1
}

// elements weighs a text, and a list or a map as it was decoded or, where CEL made it, by its size.
func elements(native any, made traits.Sizer) uint64 {
	var sum uint64
	switch native := native.(type) {
	case []any:
		for _, e := range native {
			sum += 1 + elements(e, nil)
		}
	case map[string]any:
		for _, e := range native {
			sum += 1 + elements(e, nil)
		}
	case []ref.Val:
		for _, e := range native {
			sum += weight(e)
		}
	case string:
		sum = uint64(float64(len(native)) * perCharacter)
	case []byte:
		sum = uint64(float64(len(native)) * perCharacter)
	default:
		if made != nil {
			n, _ := made.Size().(types.Int)
			sum = uint64(n)
		}
	}
	return sum
}
