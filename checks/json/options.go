// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Defaults of [Options].
const (
	defaultDepth  = 64
	defaultLength = 1 << 20 // bytes
)

// Options are what a policy demands of a JSON text. The zero Options demand that every
// reader reads it alike. They are safe for concurrent use.
type Options struct {
	Types     []string `policy:"type" doc:"what it must hold: object, array, string, number, integer, boolean or null, or a list of these; default: any"`
	MaxDepth  int      `policy:"max_depth" doc:"how deep objects and arrays may be nested, up to 256; default 64"`
	MaxLength int      `policy:"max_length" doc:"maximum number of bytes; default 1048576"`
}

var types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	for _, t := range o.Types {
		if !slices.Contains(types, t) {
			list = append(list, check.Problem{Field: "type", Message: "must be one or more of " + strings.Join(types, ", ")})
			break
		}
	}
	if o.MaxDepth < 0 || o.MaxDepth > strictjson.DefaultDepth {
		list = append(list, check.Problem{Field: "max_depth", Message: fmt.Sprintf("must be from 1 to %d", strictjson.DefaultDepth)})
	}
	if o.MaxLength < 0 || o.MaxLength > strictjson.DefaultBytes {
		list = append(list, check.Problem{Field: "max_length", Message: fmt.Sprintf("must be from 1 to %d", strictjson.DefaultBytes)})
	}
	return list
}

func (o *Options) limits() strictjson.Limits {
	l := strictjson.Limits{Bytes: o.MaxLength, Depth: o.MaxDepth}
	if l.Bytes <= 0 {
		l.Bytes = defaultLength
	}
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	return l
}

// judge says what is wrong with a text. The findings have no pointer yet.
func (o *Options) judge(s string) []check.Finding {
	limits := o.limits()
	v, err := strictjson.Parse([]byte(s), limits)
	if err != nil {
		return []check.Finding{explain(err, limits)}
	}
	if len(o.Types) > 0 && !slices.ContainsFunc(o.Types, func(t string) bool { return is(v, t) }) {
		return []check.Finding{{Message: "must hold JSON of type " + strings.Join(o.Types, " or ")}}
	}
	return nil
}

// explain words a fault without the error's own text, which names keys and characters of
// the value.
func explain(err error, limits strictjson.Limits) check.Finding {
	fault, ok := errors.AsType[*strictjson.Error](err)
	if !ok {
		return check.Finding{Message: "must hold JSON"}
	}
	f := check.Finding{}
	switch fault.Kind {
	case strictjson.TrailingData:
		f.Message, f.Suggestion = "must hold one JSON value and nothing behind it", "remove what follows the value"
	case strictjson.DuplicateKey:
		f.Level = check.SecurityLevel
		f.Message, f.Suggestion = "must hold JSON without duplicate keys: readers differ in which one counts", "give each key once"
	case strictjson.InvalidUTF8, strictjson.LoneSurrogate:
		f.Message = "must hold JSON in valid Unicode, without a byte order mark or half of a surrogate pair"
	case strictjson.NumberRange:
		f.Message, f.Suggestion = "must hold JSON with numbers that fit a double", "send large numbers as strings"
	case strictjson.TooDeep:
		f.Message = fmt.Sprintf("must hold JSON nested at most %d deep", limits.Depth)
	case strictjson.TooLarge:
		f.Message = fmt.Sprintf("must have at most %d bytes", limits.Bytes)
		return f
	default:
		f.Message, f.Suggestion = "must hold JSON (RFC 8259)", "write names and strings in double quotes, without comments and trailing commas"
	}
	f.Message += fmt.Sprintf(" (at byte %d)", fault.Offset)
	return f
}

// is reports whether a decoded value is of a type of JSON Schema. As there, 1.0 is an integer.
func is(v any, t string) bool {
	switch v := v.(type) {
	case map[string]any:
		return t == "object"
	case []any:
		return t == "array"
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case json.Number:
		return t == "number" || t == "integer" && whole(v.String())
	}
	return t == "null"
}

// whole reports whether a number's digits behind the point are all zero.
func whole(number string) bool {
	if strings.ContainsAny(number, "eE") {
		return false // readers differ
	}
	_, fraction, _ := strings.Cut(number, ".")
	return strings.Trim(fraction, "0") == ""
}
