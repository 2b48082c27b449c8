// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package jsonschema compiles JSON Schemas: it resolves references, and checks a schema by its metaschema. Package schema
// evaluates what it compiles.
//
// It is a copy of github.com/santhosh-tekuri/jsonschema/v6 at v6.0.3 (Apache License 2.0), with these changes:
//
//   - Metaschemas are compiled on first use. The original compiles those of five drafts when a program starts, which takes
//     four milliseconds and 1.7 MB, also in programs that judge no call.
//   - Nothing is loaded from files or URLs.
//   - Of the formats, only those of metaschemas are checked. Package schema checks them all.
//   - Package fmt writes the messages, which spares the printer of golang.org/x/text. Output formats, and the locations of
//     keywords that only they need, are left out.
//
// The tests of package schema, the official test suite among them, cover it.
package jsonschema
