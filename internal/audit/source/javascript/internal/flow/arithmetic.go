// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math"
	"strconv"

	"github.com/dop251/goja/token"
)

// Operators, typeof and conversions to numbers. Results with an argument in them are unknown but
// rest on it: no attack survives arithmetic, but a branch on the result is the caller's choice.

// typeOf is typeof v. Of a text that may be an object, the result rests on the argument:
// comparing it with "string" is a check of the type.
func typeOf(v Value) Value {
	var out Value
	for _, a := range v {
		switch a.kind {
		case isUndefined:
			out = join(out, constant("undefined"))
		case isNull:
			out = join(out, constant("object"))
		case isBool, isTruth:
			out = join(out, constant("boolean"))
		case isNumber:
			out = join(out, constant("number"))
		case isText:
			if !tainted(a.text) {
				out = join(out, constant("string"))
				continue
			}
			t := reshape(Value{a}, func(h hole) hole { h.form = formType; return h })
			if !a.open {
				t = constant("string")
			}
			out = join(out, t)
		case isObject:
			if a.obj.call != nil || a.obj.class != nil && a.obj.class.ctor == a.obj {
				out = join(out, constant("function"))
			} else {
				out = join(out, constant("object"))
			}
		default:
			out = join(out, unknownDepIf(a.dep))
		}
	}
	if len(out) == 0 {
		return constant("undefined")
	}
	return out
}

// toNumber converts a constant to a number.
func toNumber(v Value) (float64, bool) {
	if n, ok := v.num(); ok {
		return n, true
	}
	if len(v) == 1 && v[0].kind == isText {
		if s, ok := v[0].constText(); ok {
			return parseNumber(s), true
		}
	}
	if len(v) == 1 && v[0].kind == isBool {
		if v[0].b {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// parseNumber is Number(s) for the literals that programs use.
func parseNumber(s string) float64 {
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		if n, err := strconv.ParseInt(s, 0, 64); err == nil && (s[1] == 'x' || s[1] == 'X' || s[1] == 'o' || s[1] == 'b') {
			return float64(n)
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// arithmetic is an operator other than equality. Numbers are computed, + joins texts, and a
// comparison of an index tells whether something was found:
//
//	if (path.indexOf("..") >= 0) throw …
func arithmetic(op token.Token, a, b Value) Value {
	x, ok1 := a.num()
	y, ok2 := b.num()
	if ok1 && ok2 {
		return compute(op, x, y)
	}
	// A comparison with known sides decides a branch, as in loops over indices; with an argument
	// on one side it proves nothing.
	switch op {
	case token.PLUS:
		if mayBeText(a) || mayBeText(b) {
			return concat(textOf(a), textOf(b))
		}
		return unknownDepIf(a.depends() || b.depends())
	case token.LESS, token.GREATER, token.LESS_OR_EQUAL, token.GREATER_OR_EQUAL:
		if v, ok := compareIndex(op, a, b); ok {
			return v
		}
		s, isS := a.one()
		t, isT := b.one()
		if isS && isT && a[0].kind == isText && b[0].kind == isText {
			return truth(compareTexts(op, s, t))
		}
		p, okP := toNumber(a)
		q, okQ := toNumber(b)
		if okP && okQ {
			return compute(op, p, q)
		}
		return anyTruth(a.depends() || b.depends())
	}
	p, okP := toNumber(a)
	q, okQ := toNumber(b)
	if okP && okQ {
		return compute(op, p, q)
	}
	return unknownDepIf(a.depends() || b.depends())
}

// compareTexts compares constants. Bytes and UTF-16 order differ only beyond the characters of
// paths and versions.
func compareTexts(op token.Token, s, t string) bool {
	switch op {
	case token.LESS:
		return s < t
	case token.GREATER:
		return s > t
	case token.LESS_OR_EQUAL:
		return s <= t
	}
	return s >= t
}

// mayBeText reports whether + may join texts.
func mayBeText(v Value) bool {
	for _, a := range v {
		if a.kind == isText || a.kind == isObject {
			return true
		}
	}
	return false
}

// compute is an operator on two numbers. Bit operations work on 32 bits, as in JavaScript; guards
// of addresses use them.
func compute(op token.Token, x, y float64) Value {
	i, j := int32(int64(x)), int32(int64(y))
	switch op {
	case token.PLUS:
		return number(x + y)
	case token.MINUS:
		return number(x - y)
	case token.MULTIPLY:
		return number(x * y)
	case token.SLASH:
		return number(x / y)
	case token.REMAINDER:
		return number(math.Mod(x, y))
	case token.EXPONENT:
		return number(math.Pow(x, y))
	case token.AND:
		return number(float64(i & j))
	case token.OR:
		return number(float64(i | j))
	case token.EXCLUSIVE_OR:
		return number(float64(i ^ j))
	case token.SHIFT_LEFT:
		return number(float64(i << (uint32(j) & 31)))
	case token.SHIFT_RIGHT:
		return number(float64(i >> (uint32(j) & 31)))
	case token.UNSIGNED_SHIFT_RIGHT:
		return number(float64(uint32(i) >> (uint32(j) & 31)))
	case token.LESS:
		return truth(x < y)
	case token.GREATER:
		return truth(x > y)
	case token.LESS_OR_EQUAL:
		return truth(x <= y)
	case token.GREATER_OR_EQUAL:
		return truth(x >= y)
	}
	return unknown()
}
