// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
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
	if v := max(h.Get(mcpheader.Version), b.version); v >= call.Modern {
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
func paramsAgree(h http.Header, tool *call.Tool, arguments json.RawMessage, limits call.Limits) string {
	if tool == nil {
		return "" // no schema that could name headers
	}
	mirrors, err := mcpheader.Mirrors(tool.InputSchema, limits)
	if err != nil {
		return "the tool cannot be called with headers of its arguments: " + err.Error()
	}
	if err := mcpheader.CheckSent(h, arguments, mirrors, limits); err != nil {
		return err.Error()
	}
	return ""
}

func hasParams(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, mcpheader.Param) {
			return true
		}
	}
	return false
}
