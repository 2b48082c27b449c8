// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package rehearsal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// There are no layers to read where there are no sandboxes.

func open(root *os.Root, name string) (*os.File, error) { return root.Open(name) }
func identify(fs.FileInfo) (user, group int, s stamp)   { return 0, 0, stamp{} }
func names(fs.FileInfo) uint64                          { return 1 }
func fileClock() int64                                  { return 0 }
func whiteout(fs.FileInfo) bool                         { return false }
func opaque(*os.File) bool                              { return false }
func attributes(*os.File) map[string]string             { return nil }

func extended(*os.File) map[string][]byte                     { return nil }
func setAttributes(*os.Root, string, map[string][]byte) error { return nil }
func straight(*os.Root, string) bool                          { return true }

func copyContent(to, from *os.File) error {
	_, err := io.Copy(to, from)
	return err
}

func makePipe(*os.Root, string) error { return errors.ErrUnsupported }

func place(root *os.Root, from, to string, _ bool) error      { return root.Rename(from, to) }
func lockDirectory(context.Context, *os.Root) (func(), error) { return func() {}, nil }
func lockFile(*os.File) error                                 { return nil }
func syncDirectory(string) error                              { return nil }
func mayChange(*os.Root, string) error                        { return nil }
