// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/internal/terminal"
)

// A ledger remembers how to undo a setup: a file for each file of a client, and one for the hooks. Only its user may read it, because
// the entries hold what the client's file holds.
type ledger struct{ dir string }

// A ledgerPage is about one file of a client.
type ledgerPage struct {
	Client  string        `json:"client"`
	File    string        `json:"file"`
	Entries []ledgerEntry `json:"entries"`
}

type ledgerEntry struct {
	Keys   []string `json:"keys"`
	Before []byte   `json:"before"`
	After  []byte   `json:"after"`
}

func (e *ledgerEntry) key() string { return strings.Join(e.Keys, "\x00") }

const hooksPage = "hooks.json"

func (l ledger) page(file string) string {
	h := sha256.Sum256([]byte(file))
	return "file-" + hex.EncodeToString(h[:16]) + ".json"
}

func (l ledger) read(name string, into any) error {
	data, err := os.ReadFile(filepath.Join(l.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s cannot be read: %w", filepath.Join(l.dir, name), err)
	}
	return nil
}

func (l ledger) write(name string, page any) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(page, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(l.dir, ".new-") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(l.dir, name))
}

func (l ledger) drop(name string) error {
	err := os.Remove(filepath.Join(l.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(l.dir) // stays unless it is empty
	return err
}

// remember adds entries of a file. One with the same keys replaces an older one.
func (l ledger) remember(file string, place clientconfig.Place, entries []*clientconfig.Entry) error {
	page := ledgerPage{Client: place.ID, File: file}
	if err := l.read(l.page(file), &page); err != nil {
		return err
	}
	for _, e := range entries {
		next := ledgerEntry{e.Keys, e.Before, e.After}
		page.Entries = slices.DeleteFunc(page.Entries, func(old ledgerEntry) bool { return old.key() == next.key() })
		page.Entries = append(page.Entries, next)
	}
	return l.write(l.page(file), page)
}

// forget drops entries of a file by their keys.
func (l ledger) forget(file string, keys []string) error {
	var page ledgerPage
	if err := l.read(l.page(file), &page); err != nil {
		return err
	}
	page.Entries = slices.DeleteFunc(page.Entries, func(e ledgerEntry) bool { return slices.Contains(keys, e.key()) })
	if len(page.Entries) == 0 {
		return l.drop(l.page(file))
	}
	return l.write(l.page(file), page)
}

func (l ledger) pages() ([]ledgerPage, error) {
	names, err := filepath.Glob(filepath.Join(l.dir, "file-*.json"))
	if err != nil {
		return nil, err
	}
	var out []ledgerPage
	for _, name := range names {
		var page ledgerPage
		if err := l.read(filepath.Base(name), &page); err != nil {
			return nil, err
		}
		out = append(out, page)
	}
	return out, nil
}

// hooks returns the names of the hosts whose hooks setup installed.
func (l ledger) hooks() (names []string, err error) {
	err = l.read(hooksPage, &names)
	return names, err
}

func (l ledger) rememberHooks(names []string) error {
	all, err := l.hooks()
	if err != nil {
		return err
	}
	all = append(all, names...)
	slices.Sort(all)
	return l.write(hooksPage, slices.Compact(all))
}

func (l ledger) forgetHooks(names []string) error {
	all, err := l.hooks()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(names, name) })
	if len(all) == 0 {
		return l.drop(hooksPage)
	}
	return l.write(hooksPage, all)
}

// undo undoes what setup did. The hooks come first: setup installed them last, and a file may hold both.
func (s *setupRun) undo() error {
	pages, err := s.ledger.pages()
	if err != nil {
		return err
	}
	pages = slices.DeleteFunc(pages, func(p ledgerPage) bool { return !s.wanted(p.Client) })
	names, err := s.ledger.hooks()
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !s.wanted(name) })
	changes, err := s.planUninstall(names)
	if err != nil {
		return err
	}
	for _, p := range pages {
		var list []string
		for _, e := range p.Entries {
			list = append(list, e.Keys[len(e.Keys)-1])
		}
		terminal.Fprintf(s.stdout, "%s: to put back: %s\n", p.File, oneLine(strings.Join(list, ", "), 400))
	}
	real, err := s.showHookChanges(s.installer, changes, s.flags.verbose)
	switch {
	case err != nil:
		return err
	case len(pages) == 0 && len(real) == 0:
		if err := s.ledger.forgetHooks(names); err != nil {
			return err
		}
		_, err := terminal.Fprintf(s.stdout, "nothing to undo\n")
		return err
	case s.flags.dryRun:
		_, err := terminal.Fprintf(s.stdout, "nothing is written: this was a dry run\n")
		return err
	case !s.flags.yes:
		if ok, err := s.confirm("undo this?"); err != nil || !ok {
			return err
		}
	}
	if err := s.writeHookChanges(s.installer, real); err != nil {
		return err
	}
	if err := s.ledger.forgetHooks(names); err != nil {
		return err
	}
	left := 0
	for _, p := range pages {
		n, err := s.undoPage(p)
		if err != nil { // the other files do not suffer from it
			s.complain(err)
			n = max(n, 1)
		}
		left += n
	}
	if left > 0 {
		terminal.Fprintf(s.stdout, "not all is undone: mend what is named above, and say 'toolvet setup --undo' again\n")
		return exitCode(exitNoGo)
	}
	_, err = terminal.Fprintf(s.stdout, "undone: start your clients again\n")
	return err
}

func (s *setupRun) planUninstall(names []string) ([]*install.Change, error) {
	var changes []*install.Change
	for _, name := range names {
		h, ok := hook.Lookup(name)
		if !ok {
			continue
		}
		own := s.installer.Status(h).In(install.User)
		if slices.ContainsFunc(own, func(h install.Handler) bool { return h.Policy() != "" }) {
			s.warn("the hook of %s has got a policy since, and stays: 'toolvet hook uninstall %s' takes it out", h.Title, h.Name)
			continue
		}
		list, err := s.installer.Uninstall(h, install.User)
		if err != nil {
			return nil, hookError(err)
		}
		changes = append(changes, list...)
	}
	return changes, nil
}

// undoPage gives the entries of a file their former text, and returns how many only a person can restore.
func (s *setupRun) undoPage(p ledgerPage) (left int, err error) {
	text, err := readRegular(p.File)
	if errors.Is(err, fs.ErrNotExist) {
		terminal.Fprintf(s.stdout, "%s is not there any more\n", p.File)
		return 0, s.ledger.drop(s.ledger.page(p.File))
	}
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", p.File, pathless(err))
	}
	var done []string
	changed := false
	for _, e := range p.Entries {
		next, found, err := clientconfig.Restore(text, p.Client, e.Keys, e.Before, e.After)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.File, err)
		}
		switch name := oneLine(e.Keys[len(e.Keys)-1], 64); found {
		case clientconfig.Unwrapped:
			terminal.Fprintf(s.stdout, "%s: %s has changed since: only toolvet is taken out of it\n", p.File, name)
		case clientconfig.Vanished:
			terminal.Fprintf(s.stdout, "%s: %s is not there any more\n", p.File, name)
		case clientconfig.Changed:
			left++
			s.warn("%s: %s has changed since: take 'toolvet proxy' out of it by hand; its former text is in %s",
				p.File, name, filepath.Join(s.ledger.dir, s.ledger.page(p.File)))
			continue
		}
		text, done = next, append(done, e.key())
		changed = changed || found == clientconfig.Swap || found == clientconfig.Unwrapped
	}
	if changed {
		if err := replaceFile(p.File, text); err != nil {
			return left, err
		}
		terminal.Fprintf(s.stdout, "wrote %s\n", p.File)
	}
	return left, s.ledger.forget(p.File, done)
}
