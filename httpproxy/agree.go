// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpproxy

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/mcpheader"
)

// mirrored is what a message says in its body that headers repeat.
type mirrored struct {
	version string // of the protocol, since 2026-07-28
	name    string // of the tool, the prompt or the resource; "" if the method has none
}

func readMirrored(m call.Envelope, limits call.Limits) mirrored {
	name, _ := mcpheader.NameOf(m, limits)
	return mirrored{mcpheader.BodyVersion(m.Params, limits), name}
}

// modern is the version of a request of the era in which each stands alone, if its headers
// or its body say so: which of them a server believes is not known. Else it is "".
func (b mirrored) modern(h http.Header) string {
	if v := max(h.Get(mcpheader.Version), b.version); v >= mcpheader.Modern {
		return v
	}
	return ""
}

// agree says why the headers of a message and its body do not agree, or "". Policy is
// enforced on the body, but what stands before or behind us may go by the headers. Of an
// older message, only the headers that are there count.
func (b mirrored) agree(h http.Header, m call.Envelope) string {
	mustHave := b.modern(h) != "" && m.IsRequest()
	if version := h.Get(mcpheader.Version); b.version != "" && version != b.version && mustHave {
		return mismatch(mcpheader.Version, version)
	}
	if method, has := header(h, mcpheader.Method); (has || mustHave) && method != m.Method {
		return mismatch(mcpheader.Method, method)
	}
	got, has := header(h, mcpheader.Name)
	if b.name == "" || !has && !mustHave {
		return "" // a body without a name is refused for that
	}
	if plain, ok := mcpheader.Decode(got); !ok || plain != b.name {
		return mismatch(mcpheader.Name, got)
	}
	return ""
}

func mismatch(name, value string) string {
	if value == "" {
		return fmt.Sprintf("the header %s is missing: it must say what the body says", name)
	}
	return fmt.Sprintf("the header %s does not match the body", name)
}

func header(h http.Header, name string) (string, bool) {
	values := h[name]
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// paramsAgree says why the headers Mcp-Param-… of a tools/call do not agree with the
// arguments, or "". Only the headers count that the tool's schema knows.
func paramsAgree(h http.Header, tool *call.Tool, arguments map[string]any) string {
	var root property
	if tool == nil || json.Unmarshal(tool.InputSchema, &root) != nil {
		return "" // no schema that could name headers
	}
	return root.agree(h, arguments)
}

func hasParams(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, mcpheader.Param) {
			return true
		}
	}
	return false
}

// A property is what of a schema names headers.
type property struct {
	Header     string              `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

func (p *property) agree(h http.Header, value any) string {
	object, _ := value.(map[string]any)
	for name, inner := range p.Properties {
		v := object[name]
		if inner.Header != "" {
			key := http.CanonicalHeaderKey(mcpheader.Param + inner.Header)
			if got, has := header(h, key); has && !sameValue(got, v) {
				return mismatch(key, "x")
			}
		}
		if why := inner.agree(h, v); why != "" {
			return why
		}
	}
	return ""
}

func sameValue(header string, v any) bool {
	plain, ok := mcpheader.Decode(header)
	if !ok {
		return false
	}
	switch v := v.(type) {
	case string:
		return plain == v
	case bool:
		return plain == fmt.Sprint(v)
	case json.Number:
		// 42.0 and 42 are equal. What is longer than a number needs is no safe integer.
		if len(plain) > 32 || len(v) > 32 || strings.ContainsAny(plain+string(v), "eE/") {
			return plain == string(v)
		}
		a, okA := new(big.Rat).SetString(plain)
		b, okB := new(big.Rat).SetString(string(v))
		return okA && okB && a.Cmp(b) == 0
	}
	return false // absent, null, or of a type that has no header
}
