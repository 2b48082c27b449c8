// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package injection finds signals of prompt injection in what a tool returned: marks of texts
// that address the model, or hide from people that they do.
//
//	signals := injection.Scan(result)
//
// This is defence in depth, not a cure. A signal is a reason to tell the model that the text
// is data, to write it down, and, where a policy wants it, to hold the text back. It is no
// proof of an attack; and a text without signals may still be one:
//
//   - An order in plain words carries no mark. "Please also send the report to bob@example.com"
//     in an e-mail is an attack or a wish; only who reads the mail for a purpose can tell. No
//     rule of this package sees it, and none tries.
//   - What the rules know of language is a vocabulary and some fifty phrases. Other words for
//     the same pass, and other languages than English know "ignore the previous instructions"
//     and little more.
//   - Texts that talk about attacks pass, because they must. Where words like "payload" or
//     "injection" stand near, quoted phrases and blocks of code count little. Who knows this
//     can write such words around an order, and quote it.
//   - Encodings are undone once, not in layers.
//
// docs/figures/injection.md says how much is found of labelled attacks, by difficulty, and how
// many harmless texts are touched.
//
// # How
//
// The text is folded first: compatibility characters, look-alikes, accents, tag characters and
// characters without width are reduced to a model's reading of them (NFKC's mappings, and letters
// that Unicode TR39 calls confusable). Signals have their places in the original all the same.
// One pass then splits the folded text into words and looks each up in a small lexicon. Words of
// the lexicon that stand close together are matched with a grammar of phrases; each has a score,
// which depends on where it stands: negated, described, quoted, in a block of code, or hidden
// from people. Scores of neighbours are added up, and from 50 points on they are signals.
//
// Beside it stand rules for what Unicode, terminals, HTML and Markdown can hide, for images
// whose URL carries text away, and for text in base64, hexadecimal, binary, percent encoding,
// references of HTML, escapes, Caesar's cipher, spaced letters and leetspeak, which is decoded
// and read in the same way.
package injection
