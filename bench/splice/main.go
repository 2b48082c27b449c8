// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Splice runs a command and moves bytes between it and its own standard streams. It is the least that a
// proxy can cost: on Linux the kernel moves the bytes.
package main

import (
	"io"
	"log"
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	go func() {
		_, _ = io.Copy(stdin, os.Stdin) // ends with either side
		_ = stdin.Close()
	}()
	_, _ = io.Copy(os.Stdout, stdout)
	_ = cmd.Wait()
}
