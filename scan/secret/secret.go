// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"context"

	"github.com/toolvet/toolvet/internal/secrets"
)

// Options change what a [Scanner] finds. The zero value finds all that the patterns describe,
// but for the signatures of presigned URLs.
type Options struct {
	// Disable lists the ids of patterns to leave out.
	Disable []string

	// Allow lists the SHA-256 digests, in hexadecimal, of harmless values.
	Allow []string

	// PresignedURLs also finds the signatures in presigned URLs. Without it these URLs keep
	// working: they are meant to be given away, for a time.
	PresignedURLs bool
}

// A Match is a secret in a text.
type Match struct {
	Pattern    string // id
	Start, End int    // of the secret, bytes
}

// A Scanner finds secrets. It can be used by several goroutines at once. The zero Scanner, and a nil one, is that of
// [New] without options.
type Scanner struct{ inner *secrets.Scanner }

// New returns a Scanner. It fails if an option is not sound: an id that is unknown, a malformed digest.
func New(o Options) (*Scanner, error) {
	inner, err := secrets.New(secrets.Options{Disable: o.Disable, Allow: o.Allow, PresignedURLs: o.PresignedURLs})
	if err != nil {
		return nil, err
	}
	return &Scanner{inner}, nil
}

// Scan returns the secrets in text, in order; they do not overlap. Its time grows with the
// length of text, and not faster.
func (s *Scanner) Scan(text string) []Match {
	list, _ := s.ScanContext(context.Background(), text) // which never ends
	return list
}

// ScanContext is Scan, but ends soon after ctx does, with its error and without matches.
func (s *Scanner) ScanContext(ctx context.Context, text string) ([]Match, error) {
	var inner *secrets.Scanner
	if s != nil {
		inner = s.inner
	}
	found, err := inner.ScanContext(ctx, text)
	var list []Match
	for _, m := range found {
		list = append(list, Match(m))
	}
	return list, err
}

// Marker returns the text that replaces a secret found by a pattern.
func Marker(pattern string) string { return secrets.Marker(pattern) }

// ContainsMarker reports whether s holds a marker, in the exact form that [Marker] writes. A
// marker in an argument shows that a model tries to use a secret that it has never seen.
func ContainsMarker(s string) bool { return secrets.ContainsMarker(s) }
