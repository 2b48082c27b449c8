// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"

	"github.com/toolvet/toolvet/internal/jsonpointer"
)

// Each makes the Run of a check that judges its targets one by one. O is the struct of the
// demand's options; a target without options is judged by the zero O. Judge returns findings
// with pointers into the value: "" is the value itself.
func Each[O any](judge func(pass *Pass, o *O, value any) []Finding) func(context.Context, *Pass) error {
	return func(ctx context.Context, pass *Pass) error {
		for _, t := range pass.Targets {
			if err := ctx.Err(); err != nil {
				return err
			}
			o, err := OptionsOf[O](t)
			if err != nil {
				return err
			}
			for _, f := range judge(pass, o, t.Value) {
				f.Pointer = t.Pointer + f.Pointer
				pass.Report(f)
			}
		}
		return nil
	}
}

// EachText is [Each] for values that must be strings. For any other value it reports message.
func EachText[O any](message string, judge func(o *O, text string) []Finding) func(context.Context, *Pass) error {
	return Each(func(_ *Pass, o *O, value any) []Finding {
		text, ok := value.(string)
		if !ok {
			return []Finding{{Message: message}}
		}
		return judge(o, text)
	})
}

// EscapePointer writes a property's name as a step of a JSON Pointer (RFC 6901,
// section 3).
func EscapePointer(name string) string { return jsonpointer.Escape(name) }

// OptionsOf returns the options of a target, or the zero O if it has none.
func OptionsOf[O any](t Target) (*O, error) {
	switch o := t.Options.(type) {
	case *O:
		if o != nil {
			return o, nil
		}
	case nil:
	default:
		return nil, fmt.Errorf("the options at %q are a %T instead of a %T", t.Pointer, t.Options, new(O))
	}
	return new(O), nil
}
