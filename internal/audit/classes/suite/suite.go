// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package suite lists the classes of weaknesses that an audit grades, in order.
package suite

//go:generate go run github.com/toolvet/toolvet/cmd/internal/gen/checkdocs classes ../../../../docs/audit-classes.md

import (
	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/audit/classes/command"
	"github.com/toolvet/toolvet/internal/audit/classes/output"
	"github.com/toolvet/toolvet/internal/audit/classes/path"
	"github.com/toolvet/toolvet/internal/audit/classes/schema"
	"github.com/toolvet/toolvet/internal/audit/classes/url"
)

// Default returns the classes in the order of the rubric's rows. The slice is the caller's own.
func Default() []*class.Class {
	return []*class.Class{
		command.Class,
		path.Class,
		url.Class,
		schema.Class,
		output.Class,
	}
}

// Find returns the class of a name, or nil.
func Find(name string) *class.Class {
	for _, c := range Default() {
		if c.Name == name {
			return c
		}
	}
	return nil
}
