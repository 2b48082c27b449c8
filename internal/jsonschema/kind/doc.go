// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package kind has the kinds of faults that package jsonschema finds.
package kind
