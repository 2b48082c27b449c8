// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A masker shows entries without what may be a secret.
type masker struct{ finder *finder }

// masked stands for a possible secret.
const masked = "…"

// judge lets words find possible secrets in a text. It does not show the result, which has the form of a policy.
func (k *masker) judge(s string, of func(w *words) string) string {
	w := &words{Reader: newReaderWith(k.finder, Options{}), server: &Server{Name: "s"}}
	if of(w); w.hidden {
		return masked
	}
	return s
}

func (k *masker) argument(before, arg string) string {
	if before == "--upstream-header" { // the name of a variable
		return arg
	}
	return k.judge(arg, func(w *words) string { return w.argument(before, arg) })
}

func (k *masker) url(s string) string {
	return k.judge(s, func(w *words) string { return w.url(s) })
}

func (k *masker) value(name, s string) string {
	return k.judge(s, func(w *words) string { return w.value(name, s) })
}

func (k *masker) arguments(list []string) []string {
	out := make([]string, len(list))
	for i, arg := range list {
		before := ""
		if i > 0 {
			before = list[i-1]
		}
		out[i] = k.argument(before, arg)
	}
	return out
}

// line shows the command or the URL of an entry.
func (k *masker) line(e entry) string {
	var out []string
	for _, key := range []string{"command", "args", "url", "httpUrl", "serverUrl"} {
		m := e.get(key)
		if m == nil {
			continue
		}
		switch list, err := texts(m); {
		case key == "args" && err == nil:
			out = append(out, k.arguments(list)...)
		case key != "args":
			if s, err := text(m); err == nil && key == "command" {
				out = append(out, k.argument("", s))
			} else if err == nil {
				out = append(out, k.url(s))
			}
		}
	}
	return strictjson.Printable(strings.Join(out, " "), 160)
}

// text shows an entry, a member a line.
func (k *masker) text(name string, entry []byte) string {
	members, err := membersAt(Plain(entry), 0)
	if err != nil {
		return ""
	}
	title, err := quote(name)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.Write(title)
	b.WriteString(": {\n")
	for _, m := range members {
		key, err := quote(m.Key)
		if err != nil {
			return ""
		}
		b.WriteString("  ")
		b.Write(key)
		b.WriteString(": ")
		b.Write(k.shown(&m))
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func (k *masker) shown(m *strictjson.Member) []byte {
	var v any
	switch m.Key {
	case "args":
		list, err := texts(m)
		if err != nil {
			return []byte(masked)
		}
		v = k.arguments(list)
	case "env", "headers":
		return k.pairs(m)
	case "command", "url", "httpUrl", "serverUrl":
		s, err := text(m)
		switch {
		case err != nil:
			return []byte(masked)
		case m.Key == "command":
			v = k.argument("", s)
		default:
			v = k.url(s)
		}
	default:
		var compact bytes.Buffer
		if s, err := text(m); err == nil {
			v = k.value(m.Key, s)
		} else if json.Compact(&compact, m.Raw) == nil && compact.Len() < 40 && compact.Bytes()[0] != '{' {
			return compact.Bytes()
		} else {
			return []byte(masked)
		}
	}
	return marshal(v)
}

func (k *masker) pairs(m *strictjson.Member) []byte {
	list, err := pairs(m)
	if err != nil {
		return []byte(masked)
	}
	var parts [][]byte
	for _, v := range list {
		parts = append(parts, append(append(marshal(v.Name), ": "...), marshal(k.value(v.Name, v.Value))...))
	}
	return append(append([]byte("{"), bytes.Join(parts, []byte(", "))...), '}')
}

// marshal writes a value in JSON, and does not escape <, > and &.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return []byte(masked)
	}
	return bytes.TrimSpace(b.Bytes())
}
