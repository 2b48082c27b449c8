// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/toolvet/toolvet/internal/machine/egress"
)

// maxFile bounds a file, in bytes.
const maxFile = 64 << 20

// A File has the answers of APIs.
type File struct {
	begin func() Answerer
	ports []uint16
}

// An Answerer answers requests to an [egress.Server]. Its methods are safe for concurrent use.
type Answerer interface {
	// Answer answers a request if the file has an answer. Otherwise it does nothing and returns false.
	Answer(w http.ResponseWriter, r *http.Request) bool
}

// Read reads a file: an HTTP Archive (HAR 1.2), or an OpenAPI 3 document in JSON or YAML.
func Read(r io.Reader) (*File, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))
	if !bytes.HasPrefix(raw, []byte("{")) {
		root, err := readYAML(string(raw))
		if err != nil {
			return nil, err
		}
		return described(root)
	}
	var kind struct {
		Log     json.RawMessage `json:"log"`
		OpenAPI any             `json:"openapi"`
		Swagger any             `json:"swagger"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, fmt.Errorf("it is neither an HTTP Archive (HAR 1.2) nor an OpenAPI 3 document: %w", err)
	}
	if kind.OpenAPI != nil || kind.Swagger != nil {
		var root any
		if err := json.Unmarshal(raw, &root); err != nil {
			return nil, err
		}
		return described(root)
	}
	if kind.Log == nil {
		return nil, errNeither
	}
	replay, err := egress.ReadReplay(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return &File{begin: func() Answerer { return replay.Again() }, ports: replay.Ports()}, nil
}

var errNeither = errors.New("it is neither an HTTP Archive (HAR 1.2) with log.entries nor an OpenAPI 3 document")

func described(root any) (*File, error) {
	d, err := newDocument(root)
	if err != nil {
		return nil, err
	}
	return &File{begin: func() Answerer { return d }, ports: d.ports}, nil
}

// Answerer returns an answerer for one session of a server: several recorded answers to the same request come in
// their order, from the first one on.
func (f *File) Answerer() Answerer { return f.begin() }

// Ports returns the ports of this machine with answers.
func (f *File) Ports() []uint16 { return f.ports }
