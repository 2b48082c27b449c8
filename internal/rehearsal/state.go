// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"syscall"
)

// maxDigested is the size above which a file is not read for a comparison, in bytes.
const maxDigested = 256 << 20

// A stamp holds attributes that change with a file.
type stamp struct {
	device, inode uint64
	size          int64
	changed       int64 // nanoseconds
}

func stampOf(info fs.FileInfo) stamp {
	_, _, s := identify(info)
	return s
}

// look returns the state at a name below a directory, nil for nothing. It does not follow links. It deducts the bytes
// read from budget, unless budget is nil.
func look(root *os.Root, name string, budget *int64) (*State, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &State{Type: typeOf(info.Mode()), Mode: Mode(info.Mode() &^ fs.ModeType), Modified: info.ModTime()}
	s.User, s.Group, s.stamp = identify(info)
	s.names = names(info)
	switch s.Type {
	case "link":
		s.Target, err = root.Readlink(name)
	case "file":
		s.Size = info.Size()
		err = s.read(root, name, budget)
	case "directory":
		err = s.read(root, name, budget)
	}
	return s, err
}

func typeOf(mode fs.FileMode) string {
	switch mode.Type() {
	case 0:
		return "file"
	case fs.ModeDir:
		return "directory"
	case fs.ModeSymlink:
		return "link"
	case fs.ModeNamedPipe:
		return "pipe"
	case fs.ModeSocket:
		return "socket"
	}
	return "other"
}

// read adds the parts of a state that take a descriptor.
func (s *State) read(root *os.Root, name string, budget *int64) error {
	f, err := open(root, name)
	if errors.Is(err, fs.ErrPermission) {
		return nil // nobody here can read more
	}
	if err != nil {
		return err
	}
	defer f.Close()
	s.Attributes = attributes(f)
	if s.Type != "file" || s.Size > maxDigested {
		return nil
	}
	if budget != nil {
		if *budget -= s.Size; *budget < 0 {
			return nil
		}
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxDigested)); err != nil {
		return err
	}
	s.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// contentOf returns the content of a file that has at most limit bytes.
func contentOf(root *os.Root, name string, limit int64) ([]byte, bool) {
	f, err := open(root, name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	return raw, err == nil && int64(len(raw)) <= limit
}

// sameContent reports whether two states differ at most in attributes.
func (s *State) sameContent(o *State) bool {
	if s.Type != o.Type || s.Target != o.Target || s.Size != o.Size {
		return false
	}
	return s.SHA256 == o.SHA256 && (s.Type != "file" || s.SHA256 != "" || s.stamp == o.stamp)
}

// sameAttributes ignores the times of directories, because they change with the entries; see [walker.dated].
func (s *State) sameAttributes(o *State) bool {
	return s.Mode == o.Mode && s.User == o.User && s.Group == o.Group && maps.Equal(s.Attributes, o.Attributes) &&
		(s.Type != "file" || s.Modified.Equal(o.Modified))
}

// rebase turns the state of a copy, which was at first, into that of the original with the same changes of attributes.
func (s *State) rebase(was, original *State) {
	if s.Mode == was.Mode {
		s.Mode = original.Mode
	}
	if s.User == was.User {
		s.User = original.User
	}
	if s.Group == was.Group {
		s.Group = original.Group
	}
	rebased := maps.Clone(original.Attributes)
	for name := range was.Attributes {
		if _, stays := s.Attributes[name]; !stays {
			delete(rebased, name)
		}
	}
	for name, value := range s.Attributes {
		if rebased == nil {
			rebased = map[string]string{}
		}
		if old, had := was.Attributes[name]; !had || old != value {
			rebased[name] = value
		}
	}
	s.Attributes = rebased
}
