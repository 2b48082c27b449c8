// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package calllog keeps a log of calls: a file of JSON lines, chained by hashes. The chain shows if somebody changed,
// removed, inserted or moved a line.
//
//	log, err := calllog.Open(calllog.Options{File: "log.jsonl"})
//	err = log.Append(ctx, calllog.Record{Kind: calllog.KindCall, Tool: "fetch", …})
//	report, err := calllog.Verify(ctx, calllog.VerifyOptions{}, "log.jsonl")
//
// Records hold facts, not values: names, codes, places, sizes, digests. [Log.Append] returns after its record is
// written. It returns an error at the latest when its context is done, so that a caller can refuse a call without a
// record.
//
// docs/log.md describes the file for readers without Go, and the force and the limits of the proof.
package calllog
