// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package jsonpointer reads and writes the steps of JSON Pointers (RFC 6901).
package jsonpointer

import "strings"

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// Escape writes a property's name as a step.
func Escape(name string) string { return escaper.Replace(name) }

// Unescape reads a step as the name that it stands for.
func Unescape(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}
