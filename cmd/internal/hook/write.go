// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// say is a reply of one JSON document, with exit code 0.
func say(v any) Reply { return Reply{Stdout: text(v)} }

// text is a value as a line of JSON. Characters of HTML stay as they are: models read them.
func text(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings, and raw JSON that is valid: nothing that could fail
	return b.Bytes()
}

// stop blocks by the exit code 2, and gives the reason on standard error, as most hosts understand.
func stop(reason string) Reply {
	return Reply{Stderr: []byte(Answer{Reason: reason}.reason() + "\n"), Exit: 2}
}

// withheld is an output with the texts taken out, and the reason in their place. It keeps the shape, because hosts
// drop an output of another. Members called "type" tell the shape.
func withheld(output json.RawMessage, reason string) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(output))
	d.UseNumber()
	var v any
	if len(output) == 0 || d.Decode(&v) != nil {
		v = ""
	}
	given := false
	var walk func(v any, key string) any
	walk = func(v any, key string) any {
		switch v := v.(type) {
		case string:
			if key == "type" {
				return v
			}
			if given {
				return ""
			}
			given = true
			return reason
		case []any:
			for i := range v {
				v[i] = walk(v[i], "")
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				v[k] = walk(v[k], k)
			}
		}
		return v
	}
	if v = walk(v, ""); !given {
		v = reason
	}
	return bytes.TrimSpace(text(v))
}

// outputText is an output as text for a model: the member that holds it, text itself, or its JSON.
func outputText(output json.RawMessage, members ...string) string {
	var s string
	if json.Unmarshal(output, &s) == nil {
		return s
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(output, &o) == nil {
		for _, m := range members {
			if raw, ok := o[m]; ok {
				return outputText(raw)
			}
		}
	}
	return string(output)
}
