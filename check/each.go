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
	return each(func(pass *Pass, t Target) ([]Finding, error) {
		o, err := OptionsOf[O](t)
		if err != nil {
			return nil, err
		}
		return judge(pass, o, t.Value), nil
	})
}

// each is what Each makes of all types of options alike.
//
//go:noinline
func each(judge func(*Pass, Target) ([]Finding, error)) func(context.Context, *Pass) error {
	return func(ctx context.Context, pass *Pass) error {
		for _, t := range pass.Targets {
			if err := ctx.Err(); err != nil {
				return err
			}
			findings, err := judge(pass, t)
			if err != nil {
				return err
			}
			for _, f := range findings {
				f.Pointer = t.Pointer + f.Pointer
				pass.Report(f)
			}
		}
		return nil
	}
}

// EachText is [Each] for values that must be strings. For any other value it reports message.
func EachText[O any](message string, judge func(o *O, text string) []Finding) func(context.Context, *Pass) error {
	return each(func(_ *Pass, t Target) ([]Finding, error) {
		o, err := OptionsOf[O](t)
		text, ok := t.Value.(string)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return []Finding{{Message: message}}, nil
		}
		return judge(o, text), nil
	})
}

// EscapePointer writes a property's name as a step of a JSON Pointer (RFC 6901,
// section 3).
func EscapePointer(name string) string { return jsonpointer.Escape(name) }

// OptionsOf returns the options of a target, or the zero O if it has none.
func OptionsOf[O any](t Target) (*O, error) {
	o, ok := t.Options.(*O)
	if !ok && t.Options != nil {
		return nil, foreign(t, o)
	}
	if o == nil {
		o = new(O)
	}
	return o, nil
}

//go:noinline
func foreign(t Target, want any) error {
	return fmt.Errorf("the options at %q are a %T instead of a %T", t.Pointer, t.Options, want)
}
