// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/toolvet/toolvet/internal/secrets"
)

// A result goes into a file or a database, where it stays for months, and into alerts and pages. The output layer passes secrets on
// where a policy says so, because a model may need them; a record does not.

// stored returns a tool's answer without secrets, as it was if it has none. It returns nil if that cannot be told.
func stored(ctx context.Context, raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var answer any
	if d.Decode(&answer) != nil {
		return nil
	}
	r := &redactor{ctx: ctx}
	answer = r.value(answer)
	switch {
	case r.err != nil:
		return nil
	case !r.found:
		return raw
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(answer) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// storedText returns a text without secrets.
func storedText(ctx context.Context, text string) string {
	r := &redactor{ctx: ctx}
	if text = r.text(text); r.err != nil {
		return "[not shown: it could not be searched for secrets]"
	}
	return text
}

// A redactor takes secrets out of the texts of a JSON value.
type redactor struct {
	ctx   context.Context
	found bool
	err   error
}

func (r *redactor) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.value(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[r.text(name)] = r.value(member)
		}
		return out
	}
	return v
}

func (r *redactor) text(s string) string {
	if r.err != nil {
		return ""
	}
	var matches []secrets.Match
	matches, r.err = (*secrets.Scanner)(nil).ScanContext(r.ctx, s) // nil: the built-in patterns
	for i := len(matches) - 1; i >= 0; i-- {
		m := matches[i]
		s = s[:m.Start] + secrets.Marker(m.Pattern) + s[m.End:]
		r.found = true
	}
	return s
}
