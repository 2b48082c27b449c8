// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Newcheck scaffolds a check that answers a demand: its code, its README, its test and a
// first file of cases. From the root of the module:
//
//	go run ./cmd/internal/gen/newcheck NAME
//
// The package compiles. Its test fails until the last case has its expected findings.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "newcheck:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: go run ./cmd/internal/gen/newcheck NAME, where NAME is in lower-case words joined by hyphens")
	}
	c, err := newScaffold(args[0])
	if err != nil {
		return err
	}
	if _, err := os.Stat("checks/suite"); err != nil {
		return fmt.Errorf("there is no checks/suite here: run this in the root of the module")
	}
	if err := c.write("checks"); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, c.next())
	return err
}
