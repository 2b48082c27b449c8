// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !(linux && (amd64 || arm64))

package process

import (
	"errors"
	"os"
	"os/exec"
)

func startSleepers(Command, string, *stdio, *os.File, *os.File) (*exec.Cmd, error) {
	return nil, errors.ErrUnsupported
}
