// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

var (
	errTorn = errors.New("is torn: it has no line feed")
	errLong = fmt.Errorf("is longer than %d bytes", maxLine)
)

// A lineReader reads lines of a bounded length.
type lineReader struct {
	from *bufio.Reader
	line []byte
}

// next returns the next line with its line feed, valid until the next call. With errTorn it returns the torn last
// line. With errLong it returns nothing, and has skipped the line.
func (r *lineReader) next() ([]byte, error) {
	r.line = r.line[:0]
	long := false
	for {
		part, err := r.from.ReadSlice('\n')
		if long = long || len(r.line)+len(part) > maxLine; !long {
			r.line = append(r.line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case long:
			return nil, errLong
		case err != nil && len(r.line) > 0:
			return r.line, errTorn
		}
		return r.line, err
	}
}

// openLines opens a log's file to read its lines.
func openLines(name string) (*os.File, *lineReader, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, fmt.Errorf("calllog: %w", err)
	}
	if !info.Mode().IsRegular() { // opening a FIFO may block for ever
		return nil, nil, fmt.Errorf("calllog: %s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("calllog: %w", err)
	}
	return f, &lineReader{from: bufio.NewReaderSize(f, 64<<10)}, nil
}
