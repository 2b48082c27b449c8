// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// An output is what a tool returned, in the shape of its host. The output layer judges its texts as the blocks of a result.
type output struct {
	root  any
	texts []*string
}

// readOutput reads an output, which may be any JSON value, or nothing.
func readOutput(raw json.RawMessage) (*output, error) {
	o := &output{}
	if len(bytes.TrimSpace(raw)) == 0 {
		return o, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&o.root); err != nil {
		return nil, errors.New("it is no JSON")
	}
	o.root = o.hold(o.root, "")
	return o, nil
}

// hold puts the address of each text into its place. A member called "type" tells the shape, and is no text.
func (o *output) hold(v any, key string) any {
	switch v := v.(type) {
	case string:
		if key == "type" {
			return v
		}
		o.texts = append(o.texts, &v)
		return &v
	case []any:
		for i := range v {
			v[i] = o.hold(v[i], "")
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = o.hold(v[k], k)
		}
	}
	return v
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolResult struct {
	Content []block `json:"content"`
	IsError bool    `json:"isError,omitempty"`
}

// result is the CallToolResult with the texts of the output.
func (o *output) result(failed bool) json.RawMessage {
	r := toolResult{Content: []block{}, IsError: failed}
	for _, t := range o.texts {
		r.Content = append(r.Content, block{"text", *t})
	}
	return encode(r)
}

// with returns the output with the texts of a reviewed result, whose blocks behind them are notes; nil if no text differs.
func (o *output) with(result json.RawMessage) (json.RawMessage, error) {
	var r toolResult
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) < len(o.texts) {
		return nil, errors.New("the result has lost its blocks")
	}
	changed := false
	for i, t := range o.texts {
		changed = changed || *t != r.Content[i].Text
		*t = r.Content[i].Text
	}
	if !changed {
		return nil, nil
	}
	return encode(o.root), nil
}

// encode writes a value that JSON can hold. Characters of HTML stay as they are: models read them.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // of strings, numbers and what JSON has held before: nothing that could fail
	return bytes.TrimSpace(b.Bytes())
}
