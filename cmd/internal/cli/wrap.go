// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"unicode/utf8"
)

// maxLine bounds the lines of help, in characters.
const maxLine = 100

// wrapped breaks the long lines of help between words. The rest of a flag's line stands in the column of its description. Commands,
// which people copy, stay whole.
func wrapped(help string) string {
	var out strings.Builder
	for line := range strings.Lines(help) {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		if strings.HasPrefix(text, "-") {
			if flag, about, found := strings.Cut(text, "   "); found {
				indent += len(flag) + len(text) - len(flag) - len(strings.TrimLeft(about, " "))
			}
		}
		for utf8.RuneCountInString(line) > maxLine+1 && !strings.HasPrefix(text, "toolvet ") {
			at := strings.LastIndexByte(line[:min(len(line), maxLine+1)], ' ')
			if at <= indent {
				break
			}
			out.WriteString(line[:at] + "\n")
			line = strings.Repeat(" ", indent) + line[at+1:]
		}
		out.WriteString(line)
	}
	return out.String()
}
