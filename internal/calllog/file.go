// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// A file has the methods of *os.File that the writer needs.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	Close() error
}

// An opener opens the log's file for reading and writing. It creates a missing file for its owner only.
type opener func(name string) (file, error)

func openFile(name string) (file, error) {
	info, err := os.Lstat(name)
	if err == nil {
		err = checkFile(name, info) // check before opening: opening a FIFO may block
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkFile(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func checkFile(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file (%v): name a file", name, info.Mode().Type())
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others than its owner may write to %s (mode %#o): chmod go-w it", name, info.Mode().Perm())
	}
	return nil
}

// A state is the state of a log after the lines so far.
type state struct {
	file  file
	size  int64     // bytes, to the end of the last whole line
	last  link      // of the last line
	since time.Time // of the file's first record; zero if it has none
}

// resume opens the log's file and finds its end. It replaces a torn last line by a recovered record with the rest of
// that line. An empty file continues the chain of the last rotated file; without one, a chain begins.
func resume(name string, open opener, h hash.Hash) (state, error) {
	f, err := open(name)
	if err != nil {
		return state{}, fmt.Errorf("calllog: opening the log: %w", err)
	}
	s := state{file: f}
	if err := s.find(name, h); err != nil {
		return state{}, errors.Join(err, f.Close())
	}
	return s, nil
}

func (s *state) find(name string, h hash.Hash) error {
	end, err := readEnd(s.file, h)
	switch {
	case err != nil:
		return endError(name, err)
	case end.last != nil:
		s.last, s.size, s.since = *end.last, end.size, end.since
	default:
		if s.last, err = before(name, h); err != nil {
			return err
		}
	}
	if end.tornBytes == 0 {
		return nil
	}
	return s.recover(end, h)
}

func endError(name string, err error) error {
	return fmt.Errorf("calllog: the end of %s: %w: look with 'toolvet log verify', then move the file away to begin another", name, err)
}

// before returns the link before the first record of an empty file.
func before(name string, h hash.Hash) (link, error) {
	rotated, err := rotatedFiles(name)
	if err != nil {
		return link{}, err
	}
	if len(rotated) == 0 {
		return newChain()
	}
	name = rotated[len(rotated)-1]
	f, err := os.Open(name)
	if err != nil {
		return link{}, fmt.Errorf("calllog: reading the last rotated file: %w", err)
	}
	defer f.Close()
	end, err := readEnd(f, h)
	if err == nil && (end.last == nil || end.tornBytes > 0) {
		err = errNoEnd
	}
	if err != nil {
		return link{}, endError(name, err)
	}
	return *end.last, nil
}

// recover writes the recovered record over the torn line.
func (s *state) recover(end ending, h hash.Hash) error {
	var body bytes.Buffer
	err := Record{Kind: KindRecovered, Torn: end.torn, TornBytes: end.tornBytes}.encode(&body)
	if err != nil {
		return err
	}
	line, last := appendLine(nil, body.Bytes(), s.last, h)
	if _, err = s.file.WriteAt(line, s.size); err == nil {
		err = s.file.Truncate(s.size + int64(len(line)))
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("calllog: completing the torn last line: %w", err)
	}
	s.wrote(line, last)
	return nil
}

// wrote updates the state after a write.
func (s *state) wrote(lines []byte, last link) {
	s.size += int64(len(lines))
	s.last = last
	if s.since.IsZero() {
		s.since = time.Now()
	}
}
