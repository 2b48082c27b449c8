// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/command"
)

// The whole program, with a check of one's own: the function main of package main.
func ExampleMain() {
	officeHours := &check.Check{
		Name:  "office-hours",
		Doc:   "# office-hours\n\nMessages to customers are sent between 8 and 18 o'clock.\n",
		Stage: check.Semantic,
		Level: check.SemanticLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			if hour, ok := pass.Call.Arguments["hour"].(string); ok && (hour < "08" || hour > "18") {
				pass.Reportf("/hour", "must be from 08 to 18")
			}
			return nil
		},
	}
	command.Main(context.Background(), officeHours)
}
