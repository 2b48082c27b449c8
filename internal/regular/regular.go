// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package regular reads files that nobody has vouched for. Opening a named pipe would wait for a writer: some managers of secrets have one in the
// place of .env.
package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrIrregular says that a name stands for a directory, a pipe, a socket or a device.
var ErrIrregular = errors.New("it is no regular file")

// ErrLarge says that a file is larger than the bound.
var ErrLarge = errors.New("it is larger than")

// Read returns what a regular file holds. It follows links. A file beyond most bytes, a number of MiB, is an error.
func Read(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrIrregular
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1)) // it may have grown
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%w %d MiB", ErrLarge, most>>20)
	}
	return text, err
}
