// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/toolvet/toolvet/internal/machine/egress"
)

// maxFile bounds a file, in bytes.
const maxFile = 64 << 20

// A File has the answers of APIs.
type File struct {
	replay *egress.Replay
}

// An Answerer answers requests to an [egress.Server]. Its methods are safe for concurrent use.
type Answerer interface {
	// Answer answers a request if the file has an answer. Otherwise it does nothing and returns false.
	Answer(w http.ResponseWriter, r *http.Request) bool
}

// Read reads a file: an HTTP Archive (HAR 1.2).
func Read(r io.Reader) (*File, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	replay, err := egress.ReadReplay(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return &File{replay: replay}, nil
}

// Answerer returns an answerer for one session of a server: several recorded answers to the same request come in
// their order, from the first one on.
func (f *File) Answerer() Answerer { return f.replay.Again() }

// Ports returns the ports of this machine with answers.
func (f *File) Ports() []uint16 { return f.replay.Ports() }
