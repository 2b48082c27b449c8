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
	named bool      // the head names a record of the same chain
}

// resume opens the log's file and finds its end. A log that may lack records at its end gets a recovered record, which
// replaces a torn last line. An empty file continues the chain of the last rotated file; without one, a chain begins. A log that ends
// before the record in its head is an error.
func resume(name string, open opener, h hash.Hash) (state, error) {
	head, err := readHead(name, h)
	if err != nil && !errors.Is(err, errForeignHead) {
		return state{}, err
	}
	f, err := open(name)
	if err != nil {
		return state{}, fmt.Errorf("calllog: opening the log: %w", err)
	}
	s := state{file: f}
	if err := s.find(name, head, h); err != nil {
		return state{}, errors.Join(err, f.Close())
	}
	return s, nil
}

func (s *state) find(name string, head *link, h hash.Hash) error {
	end, err := readEnd(s.file, h)
	switch {
	case err != nil:
		return endError(name, err)
	case end.last != nil:
		s.last, s.size, s.since = *end.last, end.size, end.since
	default:
		if s.last, end.kind, err = before(name, h); err != nil {
			return err
		}
	}
	if err := cutOff(name, s.last, head); err != nil {
		return err
	}
	s.named = head != nil && head.chain == s.last.chain
	switch {
	case end.tornBytes > 0:
	case s.last.seq == 0, s.named && head.seq == s.last.seq:
		return nil
	case s.named && end.kind == KindStop:
		return s.file.Sync() // toolvet may have been killed before it did so, and the head must not name more than the disk has
	}
	return s.recover(end, s.named || head != nil && head.seq == 0, h) // a chain without a whole record has no name in the file
}

func endError(name string, err error) error {
	return fmt.Errorf("calllog: the end of %s: %w: look with 'toolvet log verify', then move the file away to begin another", name, err)
}

// before returns the link before the first record of an empty file.
func before(name string, h hash.Hash) (link, Kind, error) {
	rotated, err := rotatedFiles(name)
	if err != nil {
		return link{}, "", err
	}
	if len(rotated) == 0 {
		first, err := newChain()
		return first, "", err
	}
	name = rotated[len(rotated)-1]
	f, err := os.Open(name)
	if err != nil {
		return link{}, "", fmt.Errorf("calllog: reading the last rotated file: %w", err)
	}
	defer f.Close()
	end, err := readEnd(f, h)
	if err == nil && (end.last == nil || end.tornBytes > 0) {
		err = errNoEnd
	}
	if err != nil {
		return link{}, "", endError(name, err)
	}
	return *end.last, end.kind, nil
}

// recover writes the recovered record, over a torn line if there is one. Headed tells that the head agrees with the log.
func (s *state) recover(end ending, headed bool, h hash.Hash) error {
	var body bytes.Buffer
	err := Record{Kind: KindRecovered, Headed: headed, Torn: end.torn, TornBytes: end.tornBytes}.encode(&body)
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
		return fmt.Errorf("calllog: writing the recovered record: %w", err)
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
