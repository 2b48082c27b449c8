// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"slices"
	"time"
)

// A file is an entry of an archive or a package.
type file struct {
	name string // slash-separated
	mode int64  // permissions
	data []byte
}

// parents returns the directories above files, the outer ones first.
func parents(files []file) []string {
	var list []string
	for _, f := range files {
		for dir := path.Dir(f.name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tarball returns a tar archive. Entries belong to root and have one time, so equal files give equal bytes. The names of
// directories get an entry of their own if dirs is true.
func tarball(files []file, at time.Time, prefix string, dirs bool) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if dirs {
		for _, dir := range parents(files) {
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: prefix + dir + "/", Mode: 0o755, ModTime: at, Format: tar.FormatUSTAR}); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: prefix + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// gzipped compresses without a name and without a time.
func gzipped(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// tarGz returns a compressed tar archive.
func tarGz(files []file, at time.Time, prefix string, dirs bool) ([]byte, error) {
	data, err := tarball(files, at, prefix, dirs)
	if err != nil {
		return nil, err
	}
	return gzipped(data)
}

// zipped returns a ZIP archive.
func zipped(files []file, at time.Time) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(modeOf(f))
		entry, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
