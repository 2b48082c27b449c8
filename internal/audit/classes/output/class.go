// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package output is the class of content that tools read elsewhere and pass on as it is.
package output

import (
	_ "embed"

	"github.com/toolvet/toolvet/internal/audit/class"
)

//go:embed README.md
var doc string

// Class is about the way tools pass on the files and pages that they read.
var Class = &class.Class{
	Name:     "output",
	Doc:      doc,
	Missing:  "sanitization of what tools read elsewhere",
	Severity: class.Medium,
	Minus:    5,
	Guard:    "output validation on content-aggregating tools",
	Plus:     3,
	Kinds: []class.Kind{
		{Name: "control-characters", Doc: "Escape sequences for terminals come back"},
		{Name: "invisible", Doc: "Zero-width characters, tag characters, or characters that change the direction of text come back"},
		{Name: "hidden-text", Doc: "A comment of a page, or its hidden text, comes back in its tags"},
		{Name: "unhidden-text", Doc: "A comment of a page, or its hidden text, comes back without its tags, like visible text",
			Beyond: "the server removed the tags, so no policy can tell this text from visible text"},
		{Name: "unbounded", Doc: "A text of 2 MB comes back in full", Beyond: "no demand of a policy bounds the size of a result"},
	},
	Fix: class.Fix{
		Any:        "bound the size of the output, and remove control, zero-width and tag characters, comments and hidden text; mark it as content from elsewhere",
		TypeScript: "text.replace(/[\\p{Cc}\\p{Cf}\\u{E0000}-\\u{E007F}]/gu, c => \"\\n\\t\".includes(c) ? c : \"\"), slice to a limit, and remove comments and hidden elements before HTML becomes text",
		Python:     "\"\".join(c for c in text if c in \"\\n\\t\" or unicodedata.category(c) not in (\"Cc\", \"Cf\"))[:limit], and remove comments and hidden elements before HTML becomes text",
		Go:         "strings.Map with unicode.Is(unicode.C, r) dropped but for \\n and \\t, io.LimitReader before reading, and no comments or hidden elements when HTML becomes text",
	},
}
