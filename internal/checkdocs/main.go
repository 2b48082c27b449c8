// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Checkdocs writes docs/checks.md from the READMEs of the default checks. It is run by
//
//	go generate ./checks/suite
package main

import (
	"fmt"
	"os"

	"github.com/toolvet/toolvet/checks/suite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "checkdocs:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: checkdocs FILE")
	}
	text, err := render(suite.Default())
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], text, 0o644)
}
