// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package schema compiles a tool's JSON Schema and explains violations in words that a model can
// act on.
//
//	raw schema ─ parse ─ compile ─▶ Schema ─ Evaluate(value) ─▶ Evaluation
//
// [Compile] takes the text of a schema. [Schema.EvaluateJSON] takes the text of a
// value, [Schema.Evaluate] a Go value, and [Schema.Validate] returns an error for one
// that is invalid. Values that a strict JSON decoder produced with numbers as
// [encoding/json.Number] are judged as they stand; others are written as JSON first. 2020-12 is the default dialect; 2019-09 and drafts
// 07, 06 and 04 are chosen by "$schema". A "$ref" may only point into the same
// document: nothing is ever fetched.
//
// The library github.com/santhosh-tekuri/jsonschema, of which internal/jsonschema is a copy, resolves
// references and checks a schema against its metaschema. The evaluation is this package's
// own, because the library's cannot be stopped, and a hostile schema can keep
// it busy for ever. The tests hold the two against each other.
//
// Both sides are untrusted. A value that cannot be judged within [Limits] is an error, and the
// caller must refuse the call. A message names places, property names and what the schema allows;
// it never repeats a value that was judged.
package schema
