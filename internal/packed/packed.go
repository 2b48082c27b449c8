// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package packed keeps large texts small in programs that may never read them: a package embeds the text as gzip (RFC 1952), and
// unpacks it on first use. The plain text lies beside it, for people; a test holds that both are the same.
package packed

import (
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
)

// Text returns a function that unpacks once, and panics if data is no gzip. It is safe for concurrent use.
func Text(data string) func() string {
	return lazy.Value(func() string {
		r, err := gzip.NewReader(strings.NewReader(data))
		if err != nil {
			panic(fmt.Errorf("an embedded text: %w", err))
		}
		text, err := io.ReadAll(r)
		if err != nil {
			panic(fmt.Errorf("an embedded text: %w", err))
		}
		return string(text)
	})
}
