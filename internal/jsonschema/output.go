// Copyright the authors of github.com/santhosh-tekuri/jsonschema; changed by the toolvet authors, see doc.go
// SPDX-License-Identifier: Apache-2.0

package jsonschema

import (
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/jsonschema/kind"
)

// format ---

func (e *ValidationError) skip() bool {
	if len(e.Causes) == 1 {
		_, ok := e.ErrorKind.(*kind.Reference)
		return ok
	}
	return false
}

func (e *ValidationError) display(sb *strings.Builder, indent int) {
	if !e.skip() {
		if indent > 0 {
			sb.WriteByte('\n')
			for range indent - 1 {
				sb.WriteString("  ")
			}
			sb.WriteString("- ")
		}
		indent++
		if _, ok := e.ErrorKind.(*kind.Schema); !ok {
			fmt.Fprintf(sb, "at %s: ", quote(jsonPtr(e.InstanceLocation)))
		}
		sb.WriteString(e.ErrorKind.String())
	}
	for _, cause := range e.Causes {
		cause.display(sb, indent)
	}
}

func (e *ValidationError) Error() string {
	var sb strings.Builder
	e.display(&sb, 0)
	return sb.String()
}

func jsonPtr(tokens []string) string {
	var sb strings.Builder
	for _, tok := range tokens {
		sb.WriteByte('/')
		sb.WriteString(escape(tok))
	}
	return sb.String()
}
