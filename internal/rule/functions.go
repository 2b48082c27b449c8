// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// functions are those that CEL's standard does not have. CEL counts the cost of a call when
// it has returned, so what takes longer than its arguments are long, or makes much out of
// little, is not among them: replace, join, indexOf, sets.contains, lists.range.
func functions() []cel.EnvOption {
	text := cel.StringType
	return []cel.EnvOption{
		cel.Function(withinFunction, cel.Overload("within_string_string", []*cel.Type{text, text}, cel.BoolType, cel.LateFunctionBinding())),
		cel.Function(resolveFunction, cel.Overload("resolve_string", []*cel.Type{text}, text, cel.LateFunctionBinding())),
		cel.Function("host", cel.Overload("host_string", []*cel.Type{text}, text,
			cel.UnaryBinding(func(address ref.Val) ref.Val {
				name, err := host(string(address.(types.String)))
				return result(types.String(name), err)
			}))),
		cel.Function("lowerAscii", cel.MemberOverload("string_lower_ascii", []*cel.Type{text}, text,
			cel.UnaryBinding(func(s ref.Val) ref.Val { return types.String(lowerASCII(string(s.(types.String)))) }))),
		cel.Function("split", cel.MemberOverload("string_split_string", []*cel.Type{text, text}, cel.ListType(text),
			cel.BinaryBinding(func(s, separator ref.Val) ref.Val {
				parts, err := split(string(s.(types.String)), string(separator.(types.String)))
				return result(types.NewStringList(types.DefaultTypeAdapter, parts), err)
			}))),
		cel.Function(globFunction, cel.Overload("glob_string_string", []*cel.Type{text, text}, cel.BoolType,
			cel.BinaryBinding(func(_, _ ref.Val) ref.Val { return types.WrapErr(errPattern) }))), // planned by patterns
		cel.Function(nestedFunction, cel.Overload("nested_dyn_string", []*cel.Type{cel.DynType, text}, cel.ListType(cel.DynType),
			cel.BinaryBinding(nested))), // priced by meter
		cel.Function(holdsKeyFunction, cel.Overload("holds_key_dyn", []*cel.Type{cel.DynType}, cel.BoolType,
			cel.UnaryBinding(holds(holdsKey)))), // priced by meter, as the next
		cel.Function(holdsLinkFunction, cel.Overload("holds_link_dyn", []*cel.Type{cel.DynType}, cel.BoolType,
			cel.UnaryBinding(holds(holdsLink)))),
		cel.CostModel(
			cost.Overload("within_string_string", cost.EvalCost(cost.Scale(cost.Sum(cost.Arg(0), cost.Arg(1)), perPathCharacter))),
			cost.Overload("resolve_string", cost.EvalCost(cost.Scale(cost.Arg(0), perPathCharacter))),
			cost.Overload("host_string", cost.EvalCost(cost.Scale(cost.Arg(0), perCharacter))),
			cost.MemberOverload("string_lower_ascii", cost.EvalCost(cost.Scale(cost.Target(), perCharacter))),
			cost.MemberOverload("string_split_string", cost.EvalCost(cost.Scale(cost.Target(), perCharacter))),
			cost.Overload("glob_string_string", cost.EvalCost(cost.Scale(cost.Mul(cost.Arg(0), cost.Arg(1)), perCharacter*perCharacter))),
		),
	}
}

// perCharacter is CEL's own cost of a character that is passed over.
const perCharacter = cost.StringTraversalCostFactor

// perPathCharacter is the cost of a character of a path: the path is read in several ways, and the file system is asked
// about each of its directories.
const perPathCharacter = 100 * perCharacter

func result(v ref.Val, err error) ref.Val {
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}
