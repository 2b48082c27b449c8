// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bytes"
	"context"
	"sync"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/toolvet/toolvet/internal/secrets"
)

// maxDiffed is the size of the largest file for a diff, in bytes.
const maxDiffed = 1 << 20

// maxDiff bounds a diff, in bytes.
const maxDiff = 64 << 10

// A redactor takes secrets out of texts.
type redactor struct {
	scanner func() (*secrets.Scanner, error)
}

// newRedactor makes the scanner in the background, because that takes some 20 ms.
func newRedactor() *redactor {
	r := &redactor{sync.OnceValues(func() (*secrets.Scanner, error) { return secrets.New(secrets.Options{PresignedURLs: true}) })}
	go func() { _, _ = r.scanner() }() // the first user sees the error
	return r
}

// text returns s without secrets. If the scan fails, it shows nothing of s.
func (r *redactor) text(ctx context.Context, s string) string {
	scanner, err := r.scanner()
	var matches []secrets.Match
	if err == nil {
		matches, err = scanner.ScanContext(ctx, s)
	}
	if err != nil {
		return "[not shown: it could not be searched for secrets]"
	}
	for i := len(matches) - 1; i >= 0; i-- {
		m := matches[i]
		s = s[:m.Start] + secrets.Marker(m.Pattern) + s[m.End:]
	}
	return s
}

func (r *redactor) texts(ctx context.Context, list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = r.text(ctx, s)
	}
	return out
}

// diff returns a unified diff of two texts, "" if one of them is not text. It removes secrets first: a secret may
// span several lines, and lines of a diff begin with a mark.
func (r *redactor) diff(ctx context.Context, name string, before, after []byte) string {
	if !isText(before) || !isText(after) || bytes.Equal(before, after) {
		return ""
	}
	d := string(diff.Diff("a"+name, []byte(r.text(ctx, string(before))), "b"+name, []byte(r.text(ctx, string(after)))))
	if d == "" {
		return "the texts differ in secrets alone\n"
	}
	if _, rest, ok := bytes.Cut([]byte(d), []byte("\n")); ok { // the line "diff a b"
		d = string(rest)
	}
	if len(d) > maxDiff {
		end := bytes.LastIndexByte([]byte(d[:maxDiff]), '\n') + 1
		d = d[:end] + "… the rest of the diff is left out\n"
	}
	return d
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
