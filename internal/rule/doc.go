// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package rule decides by an operator's rules, written in CEL (Common Expression Language),
// whether a session may make a call.
//
// [Compile] reads the rules; [Set.ForTool] makes the [Program] of one tool, with the
// arguments typed from the tool's own input schema; [Program.Evaluate] decides about one
// call. [NewCheck] makes a check of it, whose README.md is the language's documentation.
//
// A policy with any allow rule rejects every call that no allow rule permits. A deny rule
// wins over every allow rule. Every error denies.
//
// CEL adds some megabytes to a program. They are paid by whoever imports this package,
// and by nobody else: the root package does not.
package rule
