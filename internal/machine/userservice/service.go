// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package userservice writes the files by which a machine runs a program in the background for a
// user: a systemd user unit, or a launchd property list. It writes files, asks how services stand, and
// starts none.
package userservice

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A Service is a program that runs in the background.
type Service struct {
	Name        string        // of small letters, digits and hyphens
	Description string        // one line
	Command     []string      // an absolute path, and arguments
	Dir         string        // where it works: an absolute path
	Environment []string      // NAME=VALUE
	Stop        time.Duration // how long it may take to end, in whole seconds
}

// A Manager is what runs services on a kind of machine.
type Manager struct {
	file   func(home, name string) string
	text   func(home string, s *Service) (string, error)
	traces func(home, name string) []string // links to the file, made when it is enabled

	ask  func(name string) []string // the command that tells how a service stands
	read func(said string) Status   // what it prints

	// Start, Stop and Log are the commands that begin and end what runs by a file, and show
	// what it says.
	Start, Stop, Log func(name, file string) []string
}

// For returns what runs services where GOOS is so; the error says that nothing known does.
func For(goos string) (*Manager, error) {
	switch goos {
	case "linux":
		return systemd, nil
	case "darwin":
		return launchd, nil
	}
	return nil, errors.New("there is a service for systemd (Linux) and launchd (macOS) alone")
}

// marker is in every file that this package writes. A file without it is somebody else's.
const marker = "Written by 'toolvet schedule install', which changes no file without this line."

var (
	// ErrForeign says that a file is there that somebody else wrote.
	ErrForeign = errors.New("somebody else wrote this file")
	names      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
)

// check refuses what no manager can be told.
func (s *Service) check() error {
	if !names.MatchString(s.Name) {
		return fmt.Errorf("the name of a service must be of small letters, digits and hyphens")
	}
	for what, path := range map[string]string{"the program": s.Command[0], "the directory": s.Dir} {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
			return fmt.Errorf("the path of %s must be absolute", what)
		}
	}
	for _, text := range append(append([]string{s.Dir}, s.Command...), s.Environment...) {
		if strings.Contains(text, "\x00") || !utf8.ValidString(text) {
			return errors.New("a path or an argument is not UTF-8, which a service cannot be told")
		}
	}
	return nil
}

// Render returns the file of a service and what is to be in it.
func (m *Manager) Render(home string, s *Service) (file, text string, err error) {
	if err := s.check(); err != nil {
		return "", "", err
	}
	text, err = m.text(home, s)
	return m.file(home, s.Name), text, err
}

// File is where the file of a service is, or would be.
func (m *Manager) File(home, name string) string { return m.file(home, name) }

// Install writes the file of a service, and reports whether there was one of ours before. The error
// is ErrForeign if there is one of somebody else's.
func (m *Manager) Install(home string, s *Service) (file string, replaced bool, err error) {
	file, text, err := m.Render(home, s)
	if err != nil {
		return file, false, err
	}
	if replaced, err = ours(file); err != nil {
		return file, false, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return file, false, err
	}
	return file, replaced, replace(file, text)
}

// replace writes a file in one step.
func replace(file, text string) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".toolvet-*") // nobody else may read it
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone, if all went well
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// Uninstall deletes the file of a service. The error is ErrForeign if somebody else wrote it, and
// [fs.ErrNotExist] if there is none.
func (m *Manager) Uninstall(home, name string) (file string, err error) {
	if !names.MatchString(name) {
		return "", fmt.Errorf("the name of a service must be of small letters, digits and hyphens")
	}
	file = m.file(home, name)
	mine, err := ours(file)
	switch {
	case err != nil:
		return file, err
	case !mine:
		return file, fs.ErrNotExist
	}
	for _, link := range m.traces(home, name) {
		if to, err := os.Readlink(link); err == nil && filepath.Base(to) == filepath.Base(file) {
			if err := os.Remove(link); err != nil {
				return file, err
			}
		}
	}
	return file, os.Remove(file)
}

// ours reports whether there is a file that this package wrote.
func ours(file string) (bool, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, ErrForeign
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	if !bytes.Contains(text, []byte(marker)) {
		return false, ErrForeign
	}
	return true, nil
}
