// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

import "context"

// EachText makes the Run of a check that judges each target by itself, as a string. O is the
// struct of the demand's options; a target without them is judged by their zero value, which
// demands what holds everywhere. The message is reported of a target that is no string.
func EachText[O any](message string, judge func(o *O, text string) []Finding) func(context.Context, *Pass) error {
	return func(ctx context.Context, pass *Pass) error {
		for _, t := range pass.Targets {
			if err := ctx.Err(); err != nil {
				return err
			}
			text, ok := t.Value.(string)
			if !ok {
				pass.Report(Finding{Pointer: t.Pointer, Message: message})
				continue
			}
			o, ok := t.Options.(*O)
			if !ok {
				o = new(O)
			}
			for _, f := range judge(o, text) {
				f.Pointer = t.Pointer
				pass.Report(f)
			}
		}
		return nil
	}
}
