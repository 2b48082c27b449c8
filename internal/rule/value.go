// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// A dynamic adapter makes CEL values from decoded JSON without a known type. Everything else it
// leaves to the adapter below it.
type dynamic struct{ types.Adapter }

// NativeToValue implements types.Adapter.
func (d dynamic) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case json.Number:
		return number(string(v))
	case map[string]any:
		return types.NewStringInterfaceMap(d, v)
	case []any:
		return types.NewDynamicList(d, v)
	}
	return d.Adapter.NativeToValue(v)
}

// A typed adapter makes values of a shape.
type typed struct {
	*shape
	dynamic dynamic
}

// NativeToValue implements types.Adapter. A value of another type is an error: the rule
// was checked for this one.
func (t typed) NativeToValue(v any) ref.Val {
	if v == nil && t.nullable {
		return types.NullValue
	}
	switch t.typ.Kind() {
	case types.DynKind:
		return t.dynamic.NativeToValue(v)
	case types.StructKind:
		if v, ok := v.(map[string]any); ok {
			return t.dynamic.NativeToValue(v) // provider reads its fields
		}
	case types.ListKind:
		if v, ok := v.([]any); ok {
			return types.NewDynamicList(typed{t.elem, t.dynamic}, v)
		}
	case types.StringKind:
		if v, ok := v.(string); ok {
			return types.String(v)
		}
	case types.BoolKind:
		if v, ok := v.(bool); ok {
			return types.Bool(v)
		}
	case types.IntKind:
		if v, ok := v.(json.Number); ok {
			return integer(string(v))
		}
	case types.DoubleKind:
		if v, ok := v.(json.Number); ok {
			return double(string(v))
		}
	}
	return types.WrapErr(errType)
}

var (
	errType  = errors.New("an argument is not of the type that the tool's schema declares")
	errRange = errors.New("a number is outside the range in which it can be compared exactly")
)

// maxExact is the first integer beyond which doubles have gaps.
const maxExact = 1 << 53

// number reads a number of unknown type: an integer literal is an int, or a uint if it is
// too large, anything else a double. CEL compares the three by value.
func number(text string) ref.Val {
	if strings.ContainsAny(text, ".eE") {
		return double(text)
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(i)
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return types.Uint(u)
	}
	return types.WrapErr(errRange)
}

// integer reads a number that the schema calls an integer: 5, 5.0 and 5e0 are one.
func integer(text string) ref.Val {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(i)
	}
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err == nil && f == math.Trunc(f) && math.Abs(f) <= maxExact {
			return types.Int(int64(f))
		}
	}
	return types.WrapErr(errRange)
}

// double reads a number as a double. An integer literal that no double is equal to is an
// error: servers read it exactly, so a limit could be passed by a little.
func double(text string) ref.Val {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return types.WrapErr(errRange)
	}
	if math.Abs(f) >= maxExact && !strings.ContainsAny(text, ".eE") {
		i, err := strconv.ParseInt(text, 10, 64)
		if err != nil || f >= math.MaxInt64 || int64(f) != i {
			return types.WrapErr(errRange)
		}
	}
	return types.Double(f)
}
