// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import "github.com/toolvet/toolvet/internal/wire/strictjson"

// forms parses the members of one text. Together their forms take no more memory than the form of the
// whole text may (strictjson.FormBound).
type forms struct {
	limits Limits
	free   int // bytes of text that may still be parsed uncounted
}

func formsOf(text []byte, limits Limits) *forms {
	limits.Form = strictjson.FormBound(len(text))
	return &forms{limits, uncounted}
}

// uncounted is the length of the first small members, all together, in bytes: their forms are small in any case. So a
// large member leaves room for the name of the tool.
const uncounted = 4 << 10

func (f *forms) parse(raw []byte) (any, error) {
	limits := f.limits
	if len(raw) <= f.free {
		f.free -= len(raw)
		limits.Form = 0
		return strictjson.Parse(raw, limits)
	}
	v, err := strictjson.Parse(raw, limits)
	if err == nil {
		f.limits.Form = max(limits.Form-min(strictjson.FormOf(v), strictjson.FormBound(len(raw))), 1)
	}
	return v, err
}
