// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// A headFile names the last record that is known to be on the disk, beside the log. A crash leaves a log that reaches at
// least so far; a log that ends before was cut off. It has one line of one length, so that writing it needs no room:
//
//	CHAIN SEQ HASH MAC
//
// MAC is a hash of the rest, with the log's key if it has one: somebody without the key can at most put back an earlier line.
type headFile struct {
	file file
	hash hash.Hash
	seq  uint64 // as written; at first none
}

const headSuffix = ".head"

// openHead opens the file beside the log, and creates it if it is missing.
func openHead(name string, open opener, h hash.Hash) (*headFile, error) {
	f, err := open(name + headSuffix)
	if err != nil {
		return nil, fmt.Errorf("calllog: opening the log's head: %w", err)
	}
	return &headFile{file: f, hash: h, seq: math.MaxUint64}, nil
}

func headLine(at link, h hash.Hash) string {
	line := fmt.Sprintf("%s %020d %s", at.chain, at.seq, at.hash)
	return line + " " + sum(h, []byte("head "), []byte(line)) + "\n"
}

// errForeignHead is for a head that says nothing about a log.
var errForeignHead = errors.New("the log's head is not one that this log wrote with this key, or without one")

// readHead returns the link in the file of a head, without its prev. It is nil if there is no such file.
func readHead(name string, h hash.Hash) (*link, error) {
	info, err := os.Stat(name + headSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() { // opening a FIFO may block for ever
		err = fmt.Errorf("%s%s is not a regular file", name, headSuffix)
	}
	if err != nil {
		return nil, fmt.Errorf("calllog: reading the log's head: %w", err)
	}
	f, err := os.Open(name + headSuffix)
	if err != nil {
		return nil, fmt.Errorf("calllog: reading the log's head: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return nil, fmt.Errorf("calllog: reading the log's head: %w", err)
	}
	words := strings.Fields(string(text))
	if len(words) != 4 {
		return nil, errForeignHead
	}
	seq, err := strconv.ParseUint(words[1], 10, 64)
	at := link{chain: words[0], seq: seq, hash: words[2]}
	if err != nil || headLine(at, h) != string(text) {
		return nil, errForeignHead
	}
	return &at, nil
}

// begin names the last record at the start of a log. A file that did not name a record of the same chain goes to the disk
// before the chain's next record does: after a power failure, its old text would disown the log.
func (f *headFile) begin(at link, same bool) error {
	err := f.write(at)
	if err == nil {
		err = f.file.Truncate(int64(len(headLine(at, f.hash)))) // what stands behind would void the line for ever
	}
	if err == nil && !same {
		err = f.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("calllog: writing the log's head: %w", err)
	}
	return nil
}

// write names a record, if the file does not name it yet. The caller has synced the log up to it.
func (f *headFile) write(at link) error {
	if at.seq == f.seq {
		return nil
	}
	if _, err := f.file.WriteAt([]byte(headLine(at, f.hash)), 0); err != nil {
		return err
	}
	f.seq = at.seq
	return nil
}

// cutOff returns an error if a log with this last record lacks others that its head names.
func cutOff(name string, last link, head *link) error {
	switch {
	case head == nil || last.chain != head.chain && last.seq == 0: // a new chain, since the files of the old one were moved away
		return nil
	case last.chain != head.chain:
		return fmt.Errorf("calllog: %s is not the log that %s%s names: look with 'toolvet log verify', then move both files away to begin another", name, name, headSuffix)
	case last.seq < head.seq:
		return fmt.Errorf("calllog: records %d to %d are missing at the end of %s, and they were on the disk: look with 'toolvet log verify', then move %s and %s%s away to begin another",
			last.seq+1, head.seq, name, name, name, headSuffix)
	case last.seq == head.seq && last.hash != head.hash:
		return fmt.Errorf("calllog: the last record of %s is not the one that %s%s names: somebody replaced it; look with 'toolvet log verify', then move both files away to begin another",
			name, name, headSuffix)
	}
	return nil
}
