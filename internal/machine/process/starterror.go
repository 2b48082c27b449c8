// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// ErrAbsent is in the error of a program that PATH does not have.
var ErrAbsent = exec.ErrNotFound

// StartError explains why program did not start, with advice.
func StartError(program string, err error) error {
	var why string
	switch {
	case strings.Contains(program, " ") && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)):
		why = "no program has this name; write a list in a policy, [" + strings.Join(strings.Fields(program), ", ") + "], and single words in a command"
	case errors.Is(err, exec.ErrDot):
		why = "it is in the current directory, not on PATH; give its path, such as ./" + program
	case errors.Is(err, exec.ErrNotFound):
		why = "not found on PATH; install it or give its full path"
	case errors.Is(err, fs.ErrNotExist):
		why = "no such file, or its #! line names a program that does not exist"
	case errors.Is(err, fs.ErrPermission):
		why = "it is not an executable file; check its permissions"
	case isNotProgram(err):
		why = "it is neither a program for this system nor a script with a #! line"
	default:
		return fmt.Errorf("cannot start %q: %w", program, err)
	}
	return &wrapped{fmt.Sprintf("cannot start %q: %s", program, why), err}
}

// A wrapped error has its own text and the identity of another error.
type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &wrapped{fmt.Sprintf("cannot start in %q: no such directory", dir), err}
	case err != nil:
		return fmt.Errorf("cannot start in %q: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("cannot start in %q: not a directory", dir)
	}
	return nil
}
