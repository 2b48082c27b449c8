// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// ThisVersion is what Program says of this toolvet.
const ThisVersion = "this version"

// Program says whether a program is this toolvet.
func Program(ctx context.Context, program string) string {
	file, err := exec.LookPath(program)
	if err != nil {
		return "it is missing, so the hook fails on every call"
	}
	if self, err := os.Executable(); err == nil && same(file, self) {
		return ThisVersion
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	line, ok := firstLine(ctx, file, "version")
	version, isToolvet := strings.CutPrefix(line, "toolvet ")
	switch {
	case !ok || !isToolvet:
		return "it does not say that it is toolvet"
	case version == toolvet.Version:
		return ThisVersion
	}
	return "it is version " + strictjson.Printable(strings.Join(strings.Fields(version), " "), 40) + ", and this is " + toolvet.Version
}

// Version returns the first line of what a program prints when it is asked for its version; "" if it does not say it in time.
func Version(program string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	line, ok := firstLine(ctx, program, "--version")
	if !ok {
		return ""
	}
	return strings.TrimSpace(line)
}

// firstLine returns the first line that a program prints, and whether it ended well.
func firstLine(ctx context.Context, args ...string) (line string, ok bool) {
	said, err := run(ctx, process.Command{Args: args}, nil)
	line, _, _ = strings.Cut(string(said.stdout), "\n")
	return line, err == nil && said.exit.Err() == nil && !said.late
}

func same(x, y string) bool {
	a, errA := os.Stat(x)
	b, errB := os.Stat(y)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
