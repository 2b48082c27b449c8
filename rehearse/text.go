// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"bytes"
	"context"
	"sync"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/toolvet/toolvet/scan/secret"
)

// maxDiffed is the size up to which files are compared line by line, in bytes.
const maxDiffed = 1 << 20

// maxDiff bounds a diff, in bytes.
const maxDiff = 64 << 10

// A redactor takes secrets out of texts.
type redactor struct {
	scanner func() (*secret.Scanner, error)
}

// newRedactor has the scanner made beside whatever comes next: it takes some 20 ms.
func newRedactor() *redactor {
	r := &redactor{sync.OnceValues(func() (*secret.Scanner, error) { return secret.New(secret.Options{PresignedURLs: true}) })}
	go func() { _, _ = r.scanner() }() // whoever needs it sees the error
	return r
}

// text is s without secrets. What could not be looked at is not shown.
func (r *redactor) text(ctx context.Context, s string) string {
	scanner, err := r.scanner()
	var matches []secret.Match
	if err == nil {
		matches, err = scanner.ScanContext(ctx, s)
	}
	if err != nil {
		return "[not shown: it could not be searched for secrets]"
	}
	for i := len(matches) - 1; i >= 0; i-- {
		m := matches[i]
		s = s[:m.Start] + secret.Marker(m.Pattern) + s[m.End:]
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

// diff is a unified diff of two texts, "" if one of them is none. Secrets are taken out
// first: lines of a diff have a mark before them, and a secret may have several lines.
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
