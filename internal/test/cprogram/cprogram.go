// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package cprogram compiles the programs in testdata, which read JSON as programs in C do. They need
// gcc, and the Debian packages libcjson-dev and libjson-c-dev. Where one is missing, the tests are
// skipped; in CI, with the environment variable CI set to "true", they fail.
package cprogram

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"
)

// Programs of testdata.
const (
	CJSONReader = "cjson_reader" // reads calls by cJSON: the first of equal keys, in any case, counts
	JSONCReader = "jsonc_reader" // reads calls by json-c: the last of equal keys counts
	CJSONServer = "cjson_server" // an MCP server on stdio that writes what it runs to the file in RAN
)

var libraries = map[string]string{CJSONReader: "cjson", CJSONServer: "cjson", JSONCReader: "json-c"}

// Build compiles a program and returns its path. Without the tools the test is skipped.
func Build(t testing.TB, program string) string {
	t.Helper()
	binary, err := Compile(t, program)
	if err != nil {
		need.Compiler.Missing(t, err)
	}
	return binary
}

// Compile is Build for a test that can do without the program. In CI, missing tools fail the test.
func Compile(t testing.TB, program string) (binary string, err error) {
	t.Helper()
	if err := tools(libraries[program]); err != nil {
		if os.Getenv("CI") == "true" {
			need.Compiler.Missing(t, err)
		}
		return "", err
	}
	_, file, _, _ := runtime.Caller(0)
	source := filepath.Join(filepath.Dir(file), "testdata", program+".c")
	binary = filepath.Join(t.TempDir(), program)
	if out, err := exec.Command("gcc", "-O1", "-Wall", "-o", binary, source, "-l"+libraries[program]).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return binary, nil
}

// tools reports what is missing to build with a library.
func tools(library string) error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return errors.New("gcc is not on PATH")
	}
	probe := exec.Command("gcc", "-xc", "-", "-o", os.DevNull, "-l"+library)
	probe.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	if probe.Run() != nil {
		return fmt.Errorf("gcc finds no lib%s: install lib%s-dev", library, library)
	}
	return nil
}
