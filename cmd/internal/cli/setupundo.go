// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
)

// A ledger remembers how to undo a setup: a file for each file of a client, and one for the hooks. Only its user may read it, because
// the entries hold what the client's file holds.
type ledger struct{ dir string }

func ledgerOf(in *install.Installer) ledger {
	return ledger{dir: filepath.Join(filepath.Dir(in.State), "setup")}
}

// A ledgerPage is about one file of a client.
type ledgerPage struct {
	Client  string        `json:"client"`
	File    string        `json:"file"`
	Entries []ledgerEntry `json:"entries"`
	Own     []string      `json:"own,omitempty"` // the keys of entries that ran toolvet before setup came

	name string // of the page
}

type ledgerEntry struct {
	Keys   []string `json:"keys"`
	Before []byte   `json:"before"`
	After  []byte   `json:"after"`
}

func (e *ledgerEntry) key() string { return strings.Join(e.Keys, "\x00") }

const hooksPage = "hooks.json"

// pageName names the page of a client's file. Two clients may have one file.
func pageName(file, client string) string {
	h := sha256.Sum256([]byte(file + "\x00" + client))
	return "file-" + hex.EncodeToString(h[:16]) + ".json"
}

// former names the file with the former texts of entries that only a person can restore.
func (l ledger) former(page string) string {
	return filepath.Join(l.dir, strings.TrimSuffix(page, ".json")+".txt")
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
	return l.writeText(filepath.Join(l.dir, name), data)
}

func (l ledger) writeText(file string, data []byte) error {
	f, err := os.CreateTemp(l.dir, ".new-") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

func (l ledger) drop(name string) error {
	_ = os.Remove(l.former(name)) // as a rule there is none
	err := os.Remove(filepath.Join(l.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(l.dir) // stays unless it is empty
	return err
}

// remember adds entries of a file. One with the same keys replaces an older one.
func (l ledger) remember(f *setupFile, entries []*clientconfig.Entry) error {
	name := pageName(f.target, f.place.ID)
	page := ledgerPage{Client: f.place.ID, File: f.target}
	if err := l.read(name, &page); err != nil {
		return err
	}
	for _, e := range f.entries {
		key := keysOf([]*clientconfig.Entry{e})[0]
		known := slices.Contains(page.Own, key) || slices.ContainsFunc(page.Entries, func(old ledgerEntry) bool { return old.key() == key })
		if e.Done && !known {
			page.Own = append(page.Own, key)
		}
	}
	for _, e := range entries {
		next := ledgerEntry{e.Keys, e.Before, e.After}
		page.Entries = slices.DeleteFunc(page.Entries, func(old ledgerEntry) bool { return old.key() == next.key() })
		page.Entries = append(page.Entries, next)
		page.Own = slices.DeleteFunc(page.Own, func(key string) bool { return key == next.key() })
	}
	return l.write(name, page)
}

// forget drops entries of a page by their keys.
func (l ledger) forget(name string, keys []string) error {
	var page ledgerPage
	if err := l.read(name, &page); err != nil {
		return err
	}
	page.Entries = slices.DeleteFunc(page.Entries, func(e ledgerEntry) bool { return slices.Contains(keys, e.key()) })
	if len(page.Entries) == 0 {
		return l.drop(name)
	}
	return l.write(name, page)
}

// pages returns the pages that can be read, and why others cannot.
func (l ledger) pages() (out []ledgerPage, faults []error) {
	names, err := filepath.Glob(filepath.Join(l.dir, "file-*.json"))
	if err != nil {
		return nil, []error{err}
	}
	for _, name := range names {
		page := ledgerPage{name: filepath.Base(name)}
		if err := l.read(page.name, &page); err != nil {
			faults = append(faults, enforce.WithHint(err, "what it says is lost: delete it, and take 'toolvet proxy' out of the client's file by hand"))
			continue
		}
		out = append(out, page)
	}
	return out, faults
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
	pages, faults := s.ledger.pages()
	for _, err := range faults { // the other files do not suffer from it
		s.complain(err)
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
	staying := s.hooksThatStay(names)
	for _, p := range pages {
		var list []string
		for _, e := range p.Entries {
			list = append(list, e.Keys[len(e.Keys)-1])
		}
		terminal.Fprintf(s.stdout, "%s: to put back: %s\n", p.File, oneLine(strings.Join(list, ", "), 400))
	}
	real, err := s.showHookChanges(s.installer, changes, s.flags.verbose)
	if len(staying.titles) > 0 {
		s.warn("the hooks of %s stay: 'toolvet hook install' made them; remove them with %s", strings.Join(staying.titles, ", "), staying.remedy())
	}
	switch {
	case err != nil:
		return err
	case len(pages) == 0 && len(real) == 0:
		if err := s.ledger.forgetHooks(names); err != nil {
			return err
		}
		if !s.flags.dryRun && !s.installer.Used() { // somebody has taken the hooks out by hand
			s.retireJudges(s.installer)
		}
		if len(faults) > 0 {
			return exitCode(exitNoGo)
		}
		if _, err := terminal.Fprintf(s.stdout, "nothing to undo\n"); err != nil || len(staying.titles) == 0 {
			return err
		}
		return exitCode(exitNoGo)
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
	s.retireJudges(s.installer)
	left := len(faults)
	for _, p := range pages {
		n, err := s.undoPage(p)
		if err != nil { // the other files do not suffer from it
			s.complain(err)
			n = max(n, 1)
		}
		left += n
	}
	if left == 0 && len(staying.titles) > 0 {
		terminal.Fprintf(s.stdout, "what setup did is undone: start your clients again; the hooks above still run toolvet\n")
		return exitCode(exitNoGo)
	}
	if left > 0 {
		terminal.Fprintf(s.stdout, "not all is undone: mend what is named above, and say 'toolvet setup --undo' again\n")
		return exitCode(exitNoGo)
	}
	_, err = terminal.Fprintf(s.stdout, "undone: start your clients again\n")
	return err
}

// stayingHooks are those of hosts that still ask toolvet once setup's own hooks are out.
type stayingHooks struct {
	titles         []string // of the hosts
	usual, managed []string // their names; managed: of those with a hook in a scope that an uninstall has to name
}

// remedy returns the commands that remove the hooks.
func (h stayingHooks) remedy() string {
	var commands []string
	if h.usual != nil {
		commands = append(commands, "'toolvet hook uninstall "+strings.Join(h.usual, " ")+"'")
	}
	if h.managed != nil {
		commands = append(commands, "'toolvet hook uninstall --scope managed "+strings.Join(h.managed, " ")+"'")
	}
	return strings.Join(commands, " and ")
}

// hooksThatStay returns the hooks that are not setup's own, which are those of the hosts with these names.
func (s *setupRun) hooksThatStay(names []string) (out stayingHooks) {
	for _, h := range hook.Hosts() {
		if !s.wanted(h.Name) {
			continue
		}
		status := s.installer.Status(h)
		usual, managed := false, false
		for i := range status.Own {
			if status.Scopes[i] != install.User || !slices.Contains(names, h.Name) {
				managed = managed || status.Scopes[i] == install.Managed
				usual = usual || status.Scopes[i] != install.Managed
			}
		}
		if usual {
			out.usual = append(out.usual, h.Name)
		}
		if managed {
			out.managed = append(out.managed, h.Name)
		}
		if usual || managed {
			out.titles = append(out.titles, h.Title)
		}
	}
	return out
}

func (s *setupRun) planUninstall(names []string) ([]*install.Change, error) {
	var changes []*install.Change
	for _, name := range names {
		h, ok := hook.Lookup(name)
		if !ok {
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
		s.warn("%s is not there: the notes on it stay, for when it comes back; if it will not, delete %s", p.File, filepath.Join(s.ledger.dir, p.name))
		return 1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", p.File, pathless(err))
	}
	var done, vanished, stuck []string
	texts := text
	for _, e := range p.Entries {
		next, found, err := clientconfig.Restore(texts, p.Client, e.Keys, e.Before, e.After)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.File, err)
		}
		switch name := oneLine(e.Keys[len(e.Keys)-1], 64); found {
		case clientconfig.Unwrapped:
			terminal.Fprintf(s.stdout, "%s: %s has changed since: only toolvet is taken out of it\n", p.File, name)
		case clientconfig.Vanished:
			terminal.Fprintf(s.stdout, "%s: %s is not there any more\n", p.File, name)
			vanished = append(vanished, e.key())
		case clientconfig.Changed:
			stuck = append(stuck, e.key())
			continue
		}
		texts, done = next, append(done, e.key())
	}
	if !bytes.Equal(text, texts) {
		if err := replaceFile(p.File, texts); err != nil {
			return len(stuck), err
		}
		terminal.Fprintf(s.stdout, "wrote %s\n", p.File)
	}
	running, err := s.running(texts, &p)
	if err != nil {
		return len(stuck), err
	}
	former := s.ledger.former(p.name)
	stuck = slices.DeleteFunc(stuck, func(key string) bool {
		_, runs := running[key]
		name := oneLine(key[strings.LastIndexByte(key, 0)+1:], 64)
		if !runs {
			terminal.Fprintf(s.stdout, "%s: %s has changed since, and does not run toolvet any more\n", p.File, name)
			done = append(done, key)
			return true
		}
		delete(running, key)
		s.warn("%s: %s has changed since: take 'toolvet proxy' out of it by hand; its former text is in %s", p.File, name, former)
		return false
	})
	maps.DeleteFunc(running, func(key string, w clientconfig.Wrapped) bool { return w.Foreign || slices.Contains(p.Own, key) })
	for _, key := range slices.Sorted(maps.Keys(running)) {
		hint := ""
		if len(vanished) > 0 {
			hint = "; the former texts of what is not there any more are in " + former
		}
		s.warn("%s: %s still runs toolvet: take 'toolvet proxy' out of it by hand%s", p.File, oneLine(key[strings.LastIndexByte(key, 0)+1:], 64), hint)
	}
	left = len(stuck) + len(running)
	if len(running) > 0 { // the notes stay
		done = nil
		stuck = append(stuck, vanished...)
	}
	if len(stuck) > 0 {
		if err := s.ledger.writeText(former, p.formerTexts(stuck)); err != nil {
			return len(stuck), err
		}
	}
	return left, s.ledger.forget(p.name, done)
}

// running returns the entries of a file that run toolvet, by their keys.
func (s *setupRun) running(text []byte, p *ledgerPage) (map[string]clientconfig.Wrapped, error) {
	var keys [][]string
	for _, e := range p.Entries {
		keys = append(keys, e.Keys)
	}
	list, err := s.rewriter.Running(text, p.Client, keys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	out := map[string]clientconfig.Wrapped{}
	for _, w := range list {
		out[strings.Join(w.Keys, "\x00")] = w
	}
	return out, nil
}

// formerTexts writes entries as the file had them.
func (p *ledgerPage) formerTexts(keys []string) []byte {
	var out []byte
	for _, e := range p.Entries {
		if slices.Contains(keys, e.key()) {
			out = append(append(fmt.Appendf(out, "%s:\n", strings.Join(e.Keys, " > ")), e.Before...), "\n\n"...)
		}
	}
	return out
}
