// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/toolvet/toolvet/internal/machine/filestate"
)

// A sighting is what a look at a file found.
type sighting struct {
	state   filestate.State
	changed time.Time // when this state was first seen
	read    time.Time // when the content was last read
	sum     [sha256.Size]byte
	text    []byte
	err     error // why it cannot be read
}

// look reads a file again although its state has not changed, in two cases. For freshFor after a change, because
// some file systems count times in steps of two seconds. And every rereadEvery, because a change through a memory
// mapping shows late in the state.
const (
	freshFor    = 3 * time.Second
	rereadEvery = 5 * time.Second
)

// look looks at the policy's file and those beside it. It returns the digest of what they hold.
func (n *watched) look(file string, now time.Time) [sha256.Size]byte {
	before := n.files
	n.files = make(map[string]*sighting, 1+len(n.beside))
	all := make([]*sighting, 0, 1+len(n.beside))
	for i := -1; i < len(n.beside); i++ {
		name := file
		if i >= 0 {
			name = n.beside[i]
		}
		n.files[name] = sight(name, i < 0, before[name], now)
		all = append(all, n.files[name])
	}
	return digestOf(all)
}

// sight looks at a file. Before is the last sighting; it may be nil. The sighting has a text if it is kept.
func sight(name string, keep bool, before *sighting, now time.Time) *sighting {
	s := &sighting{state: filestate.Of(name), changed: now, read: now}
	if before != nil && s.state.Known() && s.state == before.state {
		if s.changed = before.changed; now.Sub(s.changed) >= freshFor && now.Sub(before.read) < rereadEvery {
			return before
		}
	}
	if keep {
		if s.text, s.err = readRegular(name, readAll); s.err == nil {
			s.sum = sha256.Sum256(s.text)
		}
		return s
	}
	s.sum, s.err = readRegular(name, sumOf)
	return s
}

// digestOf returns a digest of what files hold, or that they cannot be read.
func digestOf(files []*sighting) [sha256.Size]byte {
	h := sha256.New()
	for _, s := range files {
		if s.err != nil {
			h.Write([]byte{0})
			continue
		}
		h.Write([]byte{1})
		h.Write(s.sum[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

var errNotRegular = errors.New("it is not a regular file, so its changes cannot be followed")

// readRegular reads a file. It does not open a pipe, which could block the reader for ever.
func readRegular[T any](name string, read func(name string) (T, error)) (content T, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return content, err
	case !info.Mode().IsRegular():
		return content, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	return read(name)
}

// readAll returns the content of a policy's file. The content of a larger file is cut, and still too large
// for [Parse].
func readAll(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// sumOf returns the digest of a file.
func sumOf(name string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, maxBeside))
	return [sha256.Size]byte(h.Sum(nil)), err
}

// maxBeside bounds what is read of a file that belongs to a policy: no lock is larger.
const maxBeside = 64 << 20
