// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package secrets finds secrets in text. Package scan/secret is the part of it that programs see.
//
// The patterns are data: those of betterleaks and gitleaks (see patterns/README.md), and a few of
// our own for what these leave out. Most of them are regular expressions that hold a word,
// such as "sk-ant-api03-" or "password". [Scanner.Scan] looks for all words of all patterns at once:
//
//	text ─ words (one pass) ─ what stands around them ─ regions ─ filter ─ regular expression
//	                                                                   └ entropy, allow-lists
//
// and applies an expression to the few regions that it could match in. A filter reads these first, with a
// lazily built automaton, and leaves the expression only the parts that hold a match. It finds the same matches
// as the expression over the whole text; TestRegions and FuzzRegions hold it to that. There is one exception: an expression that
// may take any text (curl.* -u) takes at most 4 KiB of a line, which an escaped line feed ends, too, and 16 KiB of several lines.
// The words stand in patterns/index.txt, which TestIndex writes and holds to the patterns. So a pattern of the package is read and compiled when a
// text first holds a word of its own: in most processes, most patterns never are.
//
// A text is looked at as it stands and in its normal form, without the escapes of JSON and HTML
// and without characters that are not seen. One pass finds the words of both. Text in other encodings (base64, URL encoding,
// compressed) or split over several texts is not found. Neither is a secret that looks like none:
// a password of common words in the midst of a sentence.
package secrets
