// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package userservice writes systemd user units and launchd property lists, which run a program in the
// background for a user. It writes files and reads the state of services, but starts none.
package userservice

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A Service is a program that runs in the background.
type Service struct {
	Name        string        // of small letters, digits and hyphens
	Description string        // one line
	Command     []string      // an absolute path, and arguments
	Dir         string        // working directory, an absolute path
	Environment []string      // NAME=VALUE
	Stop        time.Duration // time to end, in whole seconds
}

// A Manager runs services on a kind of machine.
type Manager struct {
	file   func(home, name string) string
	text   func(home string, s *Service) (string, error)
	traces func(home, name string) []string // links to the file of an enabled service

	ask  func(name string) []string // the command that prints the state of a service
	read func(said string) Status   // parses its output

	// Start, Stop and Log return the commands that start and stop the service of a file, and show its
	// log.
	Start, Stop, Log func(name, file string) []string
}

// For returns the manager for a GOOS, or an error if there is none.
func For(goos string) (*Manager, error) {
	switch goos {
	case "linux":
		return systemd, nil
	case "darwin":
		return launchd, nil
	}
	return nil, errors.New("services are only for systemd (Linux) and launchd (macOS)")
}

// marker is in every file of this package. A file without it is foreign.
const marker = "Written by 'toolvet schedule install', which changes no file without this line."

var (
	// ErrForeign reports an existing file that another program wrote.
	ErrForeign = errors.New("somebody else wrote this file")
	names      = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,63}$`)
)

// check refuses services that no manager can run.
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

// Render returns the file name and content for a service.
func (m *Manager) Render(home string, s *Service) (file, text string, err error) {
	if err := s.check(); err != nil {
		return "", "", err
	}
	text, err = m.text(home, s)
	return m.file(home, s.Name), text, err
}

// File returns the place for the file of a service.
func (m *Manager) File(home, name string) string { return m.file(home, name) }

// Install writes the file of a service, and reports whether it replaced one. The error is ErrForeign if
// another program wrote the existing file.
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
	defer os.Remove(f.Name()) // after success it is gone already
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// Uninstall deletes the file of a service. The error is ErrForeign if another program wrote it, and
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

// ours reports whether this package wrote an existing file.
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
