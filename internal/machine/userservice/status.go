// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package userservice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// Status is the state of a service.
type Status struct {
	Running bool
	Enabled bool   // it starts when its user logs in, or with the machine
	Said    string // in the manager's words
}

// Installed returns the names of the services with a file of this package, in order.
func (m *Manager) Installed(home string) ([]string, error) {
	dir, form := filepath.Split(m.file(home, "*"))
	before, after, _ := strings.Cut(form, "*")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		name, ended := strings.CutSuffix(e.Name(), after)
		name, begun := strings.CutPrefix(name, before)
		if !ended || !begun || !names.MatchString(name) {
			continue
		}
		if mine, err := ours(filepath.Join(dir, e.Name())); mine && err == nil {
			list = append(list, name)
		}
	}
	return list, nil
}

// Status asks the manager for the state of a service.
func (m *Manager) Status(ctx context.Context, name string) (Status, error) {
	said, err := output(ctx, m.ask(name))
	if err != nil {
		return Status{}, err
	}
	return m.read(said), nil
}

// maxSaid bounds the output of a manager, in bytes.
const maxSaid = 64 << 10

// output runs a command until it ends or ctx is done, and returns its output. The error has the first
// line of its standard error.
func output(ctx context.Context, command []string) (string, error) {
	var wrong strings.Builder
	p, err := process.Start(process.Command{Args: command, Stderr: &wrong})
	if err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { p.Stop(ctx) })()
	p.Stdin().Close()
	said, err := io.ReadAll(io.LimitReader(p.Stdout(), maxSaid))
	p.Stdout().Close()
	switch exit := p.Exit(); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", command[0], ctx.Err())
	case err != nil:
		return "", fmt.Errorf("%s: %w", command[0], err)
	case exit != process.Exit{}:
		why, _, _ := strings.Cut(strings.TrimSpace(wrong.String()), "\n")
		return "", fmt.Errorf("%s: %s: %s", command[0], exit, strings.ToValidUTF8(why, ""))
	}
	return string(said), nil
}

// properties parses the output of "systemctl show".
func properties(said string) Status {
	p := map[string]string{}
	for line := range strings.Lines(said) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		p[name] = value
	}
	s := Status{Running: p["ActiveState"] == "active", Enabled: p["UnitFileState"] == "enabled", Said: p["ActiveState"]}
	if r := p["Result"]; r != "" && r != "success" {
		s.Said += ", " + r
	}
	return s
}

// printed parses the output of "launchctl print". A service that launchd knows is enabled.
func printed(said string) Status {
	s := Status{Enabled: true, Said: "loaded"}
	for line := range strings.Lines(said) {
		if state, ok := strings.CutPrefix(strings.TrimSpace(line), "state = "); ok {
			s.Running, s.Said = state == "running", state
			return s
		}
	}
	return s
}
