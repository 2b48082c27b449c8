// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package calllog records what became of calls: a file of JSON lines, chained by
// hashes, so that a line that was changed, removed, inserted or moved is found.
//
//	log, err := calllog.Open(calllog.Options{File: "log.jsonl"})
//	err = log.Append(ctx, calllog.Record{Kind: calllog.KindCall, Tool: "fetch", …})
//	report, err := calllog.Verify(ctx, calllog.VerifyOptions{}, "log.jsonl")
//
// Records hold facts, not values: names, codes, places, sizes, digests. [Log.Append]
// returns when its record is written, or with an error at the latest when its context
// is done, so that a caller can refuse what it cannot record.
//
// docs/log.md describes the file for those who read it without Go, and says what
// the chain proves and what it does not.
package calllog
