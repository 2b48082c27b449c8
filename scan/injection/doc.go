// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package injection finds signals of prompt injection in a tool's result: marks of texts that
// address the model, openly or hidden from people.
//
//	signals := injection.Scan(result)
//
// This is defence in depth, not a cure. A signal is a reason to tell the model that the text
// is data, to log it, and to withhold the text if the policy asks for that. It does not prove
// an attack, and a text without signals may still be one:
//
//   - An order in plain words carries no mark. "Please also send the report to bob@example.com"
//     in an e-mail is an attack or a wish; only the purpose of the reader decides. No rule of
//     this package tries to find such orders.
//   - The rules know a vocabulary and some fifty phrases. They miss the same order in other
//     words. In languages other than English they know "ignore the previous instructions" and
//     little more.
//   - Texts about attacks have to pass. Near words like "payload" or "injection", quoted phrases
//     and blocks of code count little. An attacker can exploit this: write such words around an
//     order, and quote it.
//   - Encodings are undone three times at most, and only the common ones.
//
// docs/figures/injection.md has the share of labelled attacks found, by difficulty, and of
// harmless texts with signals.
//
// # How
//
// The text is folded first: compatibility characters, look-alikes, accents, tag characters and
// characters without width are reduced to a model's reading of them (NFKC's mappings, and letters
// that Unicode TR39 calls confusable). The places of signals still refer to the original.
// One pass then splits the folded text into words and looks each up in a small lexicon. Words of
// the lexicon that stand close together are matched with a grammar of phrases. The score of a
// phrase depends on its context: negated, described, quoted, in a block of code, or hidden from
// people. Scores of neighbours add up; 50 points make a signal.
//
// Further rules cover text hidden by Unicode, terminals, HTML and Markdown, and images whose URL
// carries text away. Text in base64, base32, hexadecimal, binary, numbers of letters, percent encoding, HTML
// references, escapes, ciphers of letters or words, Morse's code, spaced letters or leetspeak is decoded and then read in the
// same way, and so is what is encoded in it.
package injection
