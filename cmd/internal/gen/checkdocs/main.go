// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Checkdocs writes docs/checks.md from the READMEs of the default checks, or docs/audit-classes.md from
// those of the classes of an audit. It also renews the tables of options in the READMEs of checks. Run it with
//
//	go generate ./checks/suite ./internal/audit/classes/suite
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolvet/toolvet/checks/suite"
	classes "github.com/toolvet/toolvet/internal/audit/classes/suite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "checkdocs:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: checkdocs checks|classes FILE")
	}
	var text []byte
	var err error
	switch args[0] {
	case "checks":
		checks := suite.Default()
		if err := renewReadmes(filepath.Join(filepath.Dir(args[1]), "..", "checks"), checks); err != nil {
			return err
		}
		text, err = render(checks)
	case "classes":
		text, err = renderClasses(classes.Default())
	default:
		err = fmt.Errorf("the first argument must be checks or classes")
	}
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], text, 0o644)
}
