// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"time"
)

var (
	errNoEnd  = errors.New("the last line is torn, or there is none")
	errNoLine = fmt.Errorf("the last line is longer than %d bytes", maxLine)
	errKey    = errors.New("the last line is not one that this log wrote with this key, or without one")
)

// An ending describes the end of a file.
type ending struct {
	last      *link     // of the last whole line; nil if there is none
	kind      Kind      // of the last whole line
	size      int64     // bytes, to the end of the last whole line
	since     time.Time // of the first record; zero if it cannot be read
	torn      []byte    // beginning of the torn line after it; at most maxTorn bytes
	tornBytes int64     // its length
}

// maxTorn bounds the part of a torn line that is kept, in bytes.
const maxTorn = 32 << 10

// readEnd finds the last whole line, and checks it.
func readEnd(f interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}, h hash.Hash) (ending, error) {
	info, err := f.Stat()
	if err != nil {
		return ending{}, err
	}
	tail, err := readTail(f, info.Size())
	if err != nil {
		return ending{}, err
	}
	whole := bytes.LastIndexByte(tail, '\n') + 1
	torn := tail[whole:]
	end := ending{size: info.Size() - int64(len(torn)), tornBytes: int64(len(torn))}
	end.torn = bytes.Clone(torn[:min(len(torn), maxTorn)])
	if whole == 0 {
		return end, nil
	}
	line := tail[bytes.LastIndexByte(tail[:whole-1], '\n')+1 : whole]
	last, err := readLink(line, h)
	if err != nil {
		return end, errKey
	}
	end.last = &last
	var facts facts
	if json.Unmarshal(line, &facts) == nil {
		end.kind = facts.Kind
	}
	end.since = firstTime(f)
	return end, nil
}

// readTail reads the end of a file: the last whole line and everything after it.
func readTail(f io.ReaderAt, size int64) ([]byte, error) {
	for n := int64(64 << 10); ; n *= 4 {
		tail := make([]byte, min(n, size))
		if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if int64(len(tail)) == size || bytes.Count(tail, []byte("\n")) >= 2 {
			return tail, nil
		}
		if n > 2*maxLine {
			return nil, errNoLine
		}
	}
}

// firstTime returns the time of the first record, or zero. It serves only for the file's age.
func firstTime(f io.ReaderAt) time.Time {
	var first struct{ Time time.Time }
	dec := json.NewDecoder(io.NewSectionReader(f, 0, maxLine))
	if dec.Decode(&first) != nil {
		return time.Time{}
	}
	return first.Time
}

// newChain returns the link before the first record of a new chain.
func newChain() (link, error) {
	id := make([]byte, chainDigits/2)
	if _, err := rand.Read(id); err != nil {
		return link{}, err
	}
	return link{chain: hex.EncodeToString(id), hash: genesis}, nil
}
