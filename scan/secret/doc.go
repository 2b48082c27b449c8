// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package secret finds secrets in text: keys, tokens, passwords. It is made for the results of
// tools, just before a model reads them. So it has to be fast and must ignore text that only
// looks random: hashes, UUIDs, lock files, images.
//
//	scanner, err := secret.New(secret.Options{})
//	...
//	for _, m := range scanner.Scan(text) {
//		// text[m.Start:m.End] is a secret; secret.Marker(m.Pattern) may stand in its place
//	}
//
// The patterns are those of betterleaks and gitleaks, and a few of our own for what these leave out.
//
// A text is looked at as it stands and in its normal form, without the escapes of JSON and HTML
// and without characters that are not seen. Text in other encodings (base64, URL encoding,
// compressed) or split over several texts is not found. Neither is a secret that looks like none:
// a password of common words in the midst of a sentence.
package secret
